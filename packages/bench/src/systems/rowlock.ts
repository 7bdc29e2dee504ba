import type { Client } from 'pg';
import * as built from 'rowlock';
import type { Rowlock, WorkerOptions } from 'rowlock';
import { inspectBySql } from './sql-inspector.js';
import type { BenchArgs, Consumer, ConsumerOptions, Expected, Keep, Producer, System } from './system.js';
import { handled, retryDelayMs } from './system.js';

/** What the package exports. */
export type Api = typeof built;

/** Kinds to be paused, themselves or their queue. */
export const pausable = {
  inQueue: built.defineJob('bench in a paused queue', { args: built.type<BenchArgs>(), queue: 'paused' }),
  byKind: built.defineJob('bench of a paused kind', { args: built.type<BenchArgs>() }),
};

/** For the purpose `rescue`. */
const soonLost = { lease: '2s', maxBlocked: '4s' } as const;

/** Ours, through the public API. */
export const rowlock: System = rowlockOf('rowlock', () => Promise.resolve(built));

/** The same with a worker that serves the pausable kinds too. */
export const rowlockWithPaused: System = {
  ...rowlock,
  name: 'rowlock with paused kinds',
  consumer: (url, options) =>
    Promise.resolve(new RowlockConsumer(built, { ...options, url, others: handlersOfPaused() })),
};

/** @param load the build that is measured */
export function rowlockOf(name: string, load: () => Promise<Api>): System {
  return {
    name,
    store: 'postgres',
    keeps: ['kept', 'not kept'],
    joinsTransactions: true,
    share: 1,
    given: (purpose) =>
      `the public API with ${purpose === 'rescue' ? `lease ${soonLost.lease}, maxBlocked ${soonLost.maxBlocked}, else ` : ''}every default: 10 handlers at once, a pool of 4 connections and 1 for the lease, doorbell, events and leases on, history (with args) for 7 days`,
    prepare: async (url) => {
      const api = await load();
      const client = new api.Rowlock({ connectionString: url });
      await client.migrate();
      await client.close();
    },
    producer: async (url, { keep }) => producerOf(await load(), url, keep),
    consumer: async (url, options) => new RowlockConsumer(await load(), { ...options, url }),
    inspect: (url) => inspectBySql(url, { live: 'select exists (select from rowlock.job) as live', census }),
  };
}

function handlersOfPaused(): WorkerOptions['handlers'] {
  return Object.values(pausable).map((kind) =>
    kind.handle(() => {
      throw new Error('a job ran that was paused');
    }),
  );
}

function kindFor({ defineJob, fixed, type }: Api, keep: Keep) {
  const backoff = fixed({ delay: retryDelayMs, jitter: 0 });
  return keep === 'kept'
    ? defineJob('bench', { args: type<BenchArgs>(), backoff })
    : defineJob('bench', { args: type<BenchArgs>(), backoff, keep: 'none' });
}

function producerOf(api: Api, url: string, keep: Keep): Producer {
  const client = new api.Rowlock({ connectionString: url });
  const kind = kindFor(api, keep);
  return {
    one: async (args, delayMs) => {
      await client.enqueue(kind, args, delayMs === undefined ? {} : { delay: delayMs });
    },
    many: async (args) => {
      await client.enqueueMany(args.map((each) => kind.with(each)));
    },
    inTransaction: async (tx: Client, args) => {
      await client.enqueue(kind, args, { tx });
    },
    close: () => client.close(),
  };
}

interface RowlockConsumerOptions extends ConsumerOptions {
  readonly url: string;
  /** Handlers besides the one that is measured. */
  readonly others?: WorkerOptions['handlers'];
}

class RowlockConsumer implements Consumer {
  readonly #client: Rowlock;
  readonly #worker: ReturnType<Rowlock['worker']>;

  constructor(api: Api, options: RowlockConsumerOptions) {
    const { url, concurrency, keep, purpose, pollOnly, onStart, others = [] } = options;
    const kind = kindFor(api, keep);
    this.#client = new api.Rowlock({ connectionString: url });
    this.#worker = this.#client.worker({
      handlers: [kind.handle(({ args, job }) => handled(onStart(args, job.attempt))), ...others],
      ...(concurrency === null ? {} : { queues: { [kind.queue]: { concurrency } } }),
      ...(pollOnly ? { poll: { mode: 'poll' } } : {}),
      ...(purpose === 'rescue' ? soonLost : {}),
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
const rowCounts = `select
  (select count(*) from rowlock.job where claimed_by is null)::integer as live,
  (select count(*) from rowlock.job where claimed_by is not null)::integer as claimed,
  (select count(*) from rowlock.finished where state = 'completed')::integer as finished,
  (select count(*) from rowlock.finished where state <> 'completed' or attempt <> $1::integer or claim_no < attempt)::integer as odd,
  (select count(*) - count(distinct id) from rowlock.finished)::integer as twice,
  (select count(*) from rowlock.finished join rowlock.job using (id))::integer as both,
  (select count(*) from rowlock.discarded)::integer as discarded`;

function census({ live, finished, attempts }: Expected) {
  const wanted = { live, finished, claimed: 0, odd: 0, twice: 0, both: 0, discarded: 0 };
  return { text: rowCounts, values: [attempts], wanted };
}
