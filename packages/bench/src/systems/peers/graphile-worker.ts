import type { Client } from 'pg';
import { loadExtra } from '../../host/load-extra.js';
import { inspectBySql } from '../sql-inspector.js';
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

const task = 'bench';
const concurrency = 24;
const pool = 25;

type AddJobs = (jobs: readonly { identifier: string; payload: BenchArgs }[]) => Promise<unknown>;

interface Utils {
  migrate(): Promise<void>;
  release(): Promise<void> | undefined;
  addJob(identifier: string, payload: BenchArgs, spec: { runAt?: Date }): Promise<unknown>;
  readonly addJobs: AddJobs;
}

interface Runner {
  stop(): Promise<void>;
}

interface RunOptions {
  readonly preset: { readonly worker: Readonly<Record<string, unknown>> };
  readonly taskList: Readonly<Record<string, (payload: BenchArgs) => unknown>>;
  readonly noHandleSignals: boolean;
}

interface GraphileModule {
  readonly makeWorkerUtils: (options: {
    connectionString: string;
    logger: unknown;
    maxPoolSize: number;
  }) => Promise<Utils>;
  readonly run: (options: RunOptions) => Promise<Runner>;
  readonly Logger: new (factory: () => () => void) => unknown;
}

export const graphile: System = {
  ...systemWith(() => ({})),
  name: 'graphile',
  share: 0.1,
  given: () =>
    `concurrentJobs ${concurrency}, maxPoolSize ${pool}, neither local queue nor batching, logger silent`,
};

export const graphileLocalQueue: System = {
  ...systemWith(localQueue),
  name: 'graphile-lq',
  share: 0.5,
  given: (purpose) =>
    `concurrentJobs ${concurrency}, maxPoolSize ${pool}, localQueue of 500${purpose === 'load' ? ' with a refetchDelay of 10 ms' : ''}, completeJobBatchDelay and failJobBatchDelay 0, logger silent`,
};

function localQueue(purpose: Purpose): Readonly<Record<string, unknown>> {
  return {
    localQueue: { size: 500, ...(purpose === 'load' ? { refetchDelay: { durationMs: 10 } } : {}) },
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0,
  };
}

type Extra = (purpose: Purpose) => Readonly<Record<string, unknown>>;

function systemWith(extra: Extra): Omit<System, 'name' | 'given' | 'share'> {
  return {
    store: 'postgres',
    keeps: ['not kept'],
    joinsTransactions: true,
    prepare: async (url) => {
      const utils = await utilsOn(url);
      await utils.migrate();
      await utils.release();
    },
    producer: async (url) => producerOn(await utilsOn(url)),
    consumer: async (url, options) => consumerOn(url, options, extra(options.purpose)),
    inspect,
  };
}

async function utilsOn(url: string): Promise<Utils> {
  const { makeWorkerUtils, Logger } = await loadExtra<GraphileModule>('graphile-worker');
  return makeWorkerUtils({ connectionString: url, maxPoolSize: pool, logger: silent(Logger) });
}

function silent(Logger: GraphileModule['Logger']): unknown {
  return new Logger(() => () => undefined);
}

function producerOn(utils: Utils): Producer {
  return {
    one: async (args, delayMs) => {
      await utils.addJob(task, args, delayMs === undefined ? {} : { runAt: new Date(Date.now() + delayMs) });
    },
    many: async (jobs) => {
      await utils.addJobs(jobs.map((payload) => ({ identifier: task, payload })));
    },
    inTransaction: async (tx: Client, args) => {
      await tx.query('select graphile_worker.add_job($1, $2::json)', [task, JSON.stringify(args)]);
    },
    close: async () => {
      await utils.release();
    },
  };
}

async function consumerOn(
  url: string,
  { concurrency: wanted, onStart }: ConsumerOptions,
  extra: ReturnType<Extra>,
): Promise<Consumer> {
  const { run, Logger } = await loadExtra<GraphileModule>('graphile-worker');
  const worker = {
    connectionString: url,
    concurrentJobs: wanted ?? concurrency,
    maxPoolSize: pool,
    ...extra,
  };
  let runner: Runner | undefined;
  return {
    start: async () => {
      runner = await run({
        preset: { worker: { ...worker, logger: silent(Logger) } },
        taskList: { [task]: (args) => handled(onStart(args, 1)) },
        noHandleSignals: true,
      });
    },
    settled: () => undefined,
    stop: async () => runner?.stop(),
  };
}

function inspect(url: string): Promise<Inspector> {
  return inspectBySql(url, {
    live: 'select exists (select from graphile_worker._private_jobs) as live',
    census: ({ live }: Expected) => ({
      text: `select (count(*) filter (where locked_at is null))::integer as live, (count(*) filter (where locked_at is not null or attempts > 0))::integer as odd
             from graphile_worker._private_jobs`,
      wanted: { live, odd: 0 },
    }),
  });
}
