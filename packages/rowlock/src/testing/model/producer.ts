import pg from 'pg';
import { callerTransaction } from '../../db/caller-transaction.js';
import type { Executor } from '../../db/executor.js';
import type { NewJob } from '../../enqueue/batch.js';
import { paramsOf } from '../../enqueue/batch.js';
import { enqueueJobs } from '../../sql/generated/statements.gen.js';
import { rawStatement } from '../raw-statement.js';
import type { Ledger } from './ledger.js';
import type { NewModelJob } from './model-job.js';
import { hold } from './model-job.js';
import { readClock } from './watched-executor.js';

const storedStatement = rawStatement(
  'select id::text, rowlock.to_us(run_at)::text from rowlock.job where id = any ($1::bigint[])',
);

/** Enqueues, and tells what was stored: nothing may be due before it was enqueued, or elsewhere than was asked. */
export async function enqueueWatched(
  executor: Executor,
  ledger: Ledger,
  jobs: readonly NewJob[],
): Promise<NewModelJob[]> {
  const before = await readClock(executor, ledger);
  const ids = (await executor.run(enqueueJobs, paramsOf(jobs, true))).map(({ id }) => id);
  const after = await readClock(executor, ledger);
  hold(ids.length === jobs.length, () => `${String(ids.length)} ids for ${String(jobs.length)} jobs`);
  const stored = new Map((await executor.run(storedStatement, [`{${ids.join(',')}}`])) as [string, string][]);
  return jobs.map((job, i) => {
    const id = ids[i] ?? '';
    const runAt = Number(stored.get(id));
    const earliest =
      job.runAtUs !== null && job.runAtUs > after ? job.runAtUs : before + (job.delayMs ?? 0) * 1000;
    const latest =
      job.runAtUs !== null && job.runAtUs > after ? job.runAtUs : after + (job.delayMs ?? 0) * 1000;
    const isRight = runAt >= earliest && (runAt <= latest || (job.runAtUs ?? 0) > before);
    hold(
      isRight,
      () => `job ${id} is due at ${String(runAt)}, not between ${String(earliest)} and ${String(latest)}`,
    );
    return { id, queue: job.queue, kind: job.kind, priority: job.priority, policy: job.policy, runAt };
  });
}

/** Somebody who enqueues in transactions of their own. */
export class Producer {
  readonly #client: pg.Client;
  readonly #ledger: Ledger;
  readonly #executor: Executor;
  /** What each savepoint began; the first level is the transaction itself. */
  #levels: NewModelJob[][] = [];
  /** Steps that the transaction stays open. */
  patience = 0;

  constructor(client: pg.Client, ledger: Ledger) {
    this.#client = client;
    this.#ledger = ledger;
    this.#executor = callerTransaction(client, 'rowlock');
  }

  static async connect(url: string, ledger: Ledger): Promise<Producer> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return new Producer(client, ledger);
  }

  get isOpen(): boolean {
    return this.#levels.length > 0;
  }

  get hasSavepoint(): boolean {
    return this.#levels.length > 1;
  }

  /** Enqueued, not committed. */
  get uncommitted(): NewModelJob[] {
    return this.#levels.flat();
  }

  async begin(patience: number): Promise<void> {
    await this.#client.query('begin');
    this.#levels = [[]];
    this.patience = patience;
  }

  async enqueue(jobs: readonly NewJob[]): Promise<void> {
    this.#levels.at(-1)?.push(...(await enqueueWatched(this.#executor, this.#ledger, jobs)));
  }

  async savepoint(): Promise<void> {
    await this.#client.query(`savepoint s${String(this.#levels.length)}`);
    this.#levels.push([]);
  }

  async release(): Promise<void> {
    const released = this.#levels.pop() ?? [];
    await this.#client.query(`release savepoint s${String(this.#levels.length)}`);
    this.#levels.at(-1)?.push(...released);
  }

  async rollBackToSavepoint(): Promise<void> {
    const undone = this.#levels.pop() ?? [];
    await this.#client.query(`rollback to savepoint s${String(this.#levels.length)}`);
    this.#ledger.rollBack(undone);
  }

  async commit(): Promise<void> {
    await this.#client.query('commit');
    this.#ledger.commit(this.#levels.flat());
    this.#levels = [];
  }

  async rollBack(): Promise<void> {
    await this.#client.query('rollback');
    this.#ledger.rollBack(this.#levels.flat());
    this.#levels = [];
  }

  /** Only while it is not in a transaction. */
  async vacuum(): Promise<void> {
    await this.#client.query('vacuum rowlock.job');
  }

  async close(): Promise<void> {
    await this.#client.end();
  }
}
