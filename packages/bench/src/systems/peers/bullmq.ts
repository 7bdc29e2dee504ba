import type { StoreKind } from '../../host/store.js';
import { loadExtra } from '../../host/load-extra.js';
import { differences } from '../sql-inspector.js';
import type {
  BenchArgs,
  Consumer,
  ConsumerOptions,
  Expected,
  Inspector,
  Producer,
  Purpose,
  System,
} from '../system.js';
import { handled } from '../system.js';

const queueName = 'bench';
/** For the purpose `rescue`: lockDuration and stalledInterval in ms, drainDelay in s. */
const soonLost = { lockDuration: 2000, stalledInterval: 1000, drainDelay: 1 };
const rescued = (purpose: Purpose): string =>
  purpose === 'rescue' ? ', lockDuration 2 s, stalledInterval 1 s, drainDelay 1 s' : '';
const removed = { removeOnComplete: { count: 0 } };

interface Closable {
  on(event: 'error', listener: (error: Error) => void): void;
  close(): Promise<void>;
  waitUntilReady(): Promise<unknown>;
}

interface Queue extends Closable {
  add(name: string, data: BenchArgs, options: { delay?: number }): Promise<unknown>;
  addBulk(jobs: readonly { name: string; data: BenchArgs }[]): Promise<unknown>;
  getJobCounts(...states: string[]): Promise<Record<string, number>>;
}

interface Worker extends Closable {
  on(event: 'error' | 'completed', listener: (error: Error) => void): void;
  run(): Promise<void>;
}

interface BullModule {
  readonly Queue: new (name: string, options: object, backend?: unknown) => Queue;
  readonly Worker: new (
    name: string,
    handler: (job: { data: BenchArgs }) => Promise<void>,
    options: object,
    backend?: unknown,
  ) => Worker;
  readonly createPostgresBackend: unknown;
}

interface Backend {
  readonly store: StoreKind;
  readonly concurrency: number;
  readonly connection: (url: string) => unknown;
}

const postgres: Backend = {
  store: 'postgres',
  concurrency: 8,
  connection: (url) => ({ connectionString: url, max: 10, migrate: true }),
};

const redis = (store: StoreKind): Backend => ({
  store,
  concurrency: 100,
  connection: (url) => ({
    host: new URL(url).hostname,
    port: Number(new URL(url).port),
    maxRetriesPerRequest: null,
  }),
});

export const bullmqPostgres: System = {
  ...systemOn(postgres),
  name: 'bullmq-pg',
  share: 0.1,
  given: (purpose) => `concurrency 8, pool of 10, removeOnComplete { count: 0 }${rescued(purpose)}`,
};

export const bullmqRedis: System = {
  ...systemOn(redis('redis everysec')),
  name: 'bullmq-redis',
  share: 0.5,
  given: (purpose) =>
    `concurrency 100, removeOnComplete { count: 0 }${rescued(purpose)}; append-only file synced every second, no snapshots, no rewrites`,
};

export const bullmqRedisAlways: System = {
  ...systemOn(redis('redis always')),
  name: 'bullmq-redis-always',
  share: 0.5,
  given: (purpose) =>
    `concurrency 100, removeOnComplete { count: 0 }${rescued(purpose)}; append-only file synced at every write, no snapshots, no rewrites`,
};

function systemOn(backend: Backend): Omit<System, 'name' | 'given' | 'share'> {
  return {
    store: backend.store,
    keeps: ['not kept'],
    joinsTransactions: false,
    prepare: async (url) => {
      const queue = await queueOn(url, backend);
      await queue.close();
    },
    producer: async (url) => producerOn(await queueOn(url, backend)),
    consumer: (url, options) => consumerOn(url, options, backend),
    inspect: async (url) => inspectorOn(await queueOn(url, backend)),
  };
}

async function queueOn(url: string, { store, connection }: Backend): Promise<Queue> {
  const { Queue, createPostgresBackend } = await loadExtra<BullModule>('bullmq');
  const options = { connection: connection(url), defaultJobOptions: removed };
  const queue = new Queue(queueName, options, store === 'postgres' ? createPostgresBackend : undefined);
  queue.on('error', report);
  await queue.waitUntilReady();
  return queue;
}

function report(error: Error): void {
  console.error(`bullmq: ${error.message}`);
}

function producerOn(queue: Queue): Producer {
  return {
    one: async (args, delayMs) => {
      await queue.add('bench', args, delayMs === undefined ? {} : { delay: delayMs });
    },
    many: async (jobs) => {
      await queue.addBulk(jobs.map((data) => ({ name: 'bench', data })));
    },
    inTransaction: () => Promise.reject(new Error('bullmq stores no job in a caller’s transaction')),
    close: () => queue.close(),
  };
}

async function consumerOn(
  url: string,
  { concurrency, purpose, onStart }: ConsumerOptions,
  { store, connection, ...backend }: Backend,
): Promise<Consumer> {
  const { Worker, createPostgresBackend } = await loadExtra<BullModule>('bullmq');
  let settled = 0;
  const worker = new Worker(
    queueName,
    async ({ data }) => {
      await handled(onStart(data, 1));
    },
    {
      connection: connection(url),
      concurrency: concurrency ?? backend.concurrency,
      autorun: false,
      ...(purpose === 'rescue' ? soonLost : {}),
      ...removed,
    },
    store === 'postgres' ? createPostgresBackend : undefined,
  );
  worker.on('error', report);
  worker.on('completed', () => {
    settled += 1;
  });
  await worker.waitUntilReady();
  return {
    start: () => {
      worker.run().catch(report);
      return Promise.resolve();
    },
    settled: () => settled,
    stop: () => worker.close(),
  };
}

function inspectorOn(queue: Queue): Inspector {
  return {
    hasLive: async () => {
      const { waiting = 0, active = 0 } = await queue.getJobCounts('waiting', 'active');
      return waiting + active > 0;
    },
    check: async ({ live }: Expected) => {
      const {
        waiting = NaN,
        delayed = NaN,
        ...others
      } = await queue.getJobCounts(...['waiting', 'delayed', 'active', 'completed', 'failed']);
      const wanted = { live, active: 0, completed: 0, failed: 0 };
      return differences(wanted, { ...others, live: waiting + delayed });
    },
    close: () => queue.close(),
  };
}
