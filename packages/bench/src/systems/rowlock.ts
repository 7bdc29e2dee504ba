import type { Client } from 'pg';
import { defineJob, fixed, Rowlock, type } from 'rowlock';
import type { BenchArgs, Consumer, ConsumerOptions, Expected, Keep, Producer, System } from './system.js';
import { retryDelayMs } from './system.js';

/** Ours, through the public API. */
export const rowlock: System = {
  name: 'rowlock',
  given:
    'the public API with every default: 10 handlers at once, a pool of 4 connections and 1 for the lease, doorbell, events and leases on, history (with args) for 7 days',
  prepare: async (url) => {
    const client = new Rowlock({ connectionString: url });
    await client.migrate();
    await client.close();
  },
  producer: (url, keep) => new RowlockProducer(url, keep),
  consumer: (url, options) => new RowlockConsumer(url, options),
  check: checkRows,
};

function kindFor(keep: Keep) {
  const backoff = fixed({ delay: retryDelayMs, jitter: 0 });
  return keep === 'kept'
    ? defineJob('bench', { args: type<BenchArgs>(), backoff })
    : defineJob('bench', { args: type<BenchArgs>(), backoff, keep: 'none' });
}

class RowlockProducer implements Producer {
  readonly #client: Rowlock;
  readonly #kind: ReturnType<typeof kindFor>;

  constructor(url: string, keep: Keep) {
    this.#client = new Rowlock({ connectionString: url });
    this.#kind = kindFor(keep);
  }

  async one(args: BenchArgs, delayMs?: number): Promise<void> {
    await this.#client.enqueue(this.#kind, args, delayMs === undefined ? {} : { delay: delayMs });
  }

  async many(args: readonly BenchArgs[]): Promise<void> {
    await this.#client.enqueueMany(args.map((each) => this.#kind.with(each)));
  }

  async inTransaction(tx: Client, args: BenchArgs): Promise<void> {
    await this.#client.enqueue(this.#kind, args, { tx });
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}

class RowlockConsumer implements Consumer {
  readonly #client: Rowlock;
  readonly #worker: ReturnType<Rowlock['worker']>;

  constructor(url: string, { concurrency, keep, pollOnly, onStart }: ConsumerOptions) {
    const kind = kindFor(keep);
    this.#client = new Rowlock({ connectionString: url });
    this.#worker = this.#client.worker({
      handlers: [
        kind.handle(({ args, job }) => {
          if (!onStart(args, job.attempt)) throw new Error('this attempt fails');
        }),
      ],
      ...(concurrency === null ? {} : { queues: { [kind.queue]: { concurrency } } }),
      ...(pollOnly ? { poll: { mode: 'poll' } } : {}),
    });
  }

  start(): Promise<void> {
    return this.#worker.start();
  }

  settled(): number {
    return this.#worker.health().counters.settled;
  }

  async stop(): Promise<void> {
    await this.#worker.stop();
    await this.#client.close();
  }
}

// A claim may be given back before it starts, so claim_no may exceed the attempts, never the other way round.
const census = `select
  (select count(*) from rowlock.job where claimed_by is null)::integer as live,
  (select count(*) from rowlock.job where claimed_by is not null)::integer as claimed,
  (select count(*) from rowlock.finished where state = 'completed')::integer as finished,
  (select count(*) from rowlock.finished where state <> 'completed' or attempt <> $1 or claim_no < attempt)::integer as odd,
  (select count(*) - count(distinct id) from rowlock.finished)::integer as twice,
  (select count(*) from rowlock.finished join rowlock.job using (id))::integer as both,
  (select count(*) from rowlock.discarded)::integer as discarded`;

async function checkRows(client: Client, { live, finished, attempts }: Expected): Promise<string[]> {
  const { rows } = await client.query<Record<string, number>>(census, [attempts]);
  const wanted = { live, finished, claimed: 0, odd: 0, twice: 0, both: 0, discarded: 0 };
  return Object.entries(wanted)
    .filter(([name, count]) => rows[0]?.[name] !== count)
    .map(([name, count]) => `${name}: ${String(rows[0]?.[name])} rows instead of ${count}`);
}
