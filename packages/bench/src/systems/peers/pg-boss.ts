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

const queue = 'bench';

interface Boss {
  on(event: 'error', listener: (error: Error) => void): void;
  start(): Promise<unknown>;
  stop(options: { graceful: boolean; timeout: number }): Promise<void>;
  createQueue(name: string, options: { notify: boolean; heartbeatSeconds?: number }): Promise<void>;
  send(name: string, data: BenchArgs, options: SendOptions): Promise<string | null>;
  insert(name: string, jobs: readonly { data: BenchArgs }[]): Promise<unknown>;
  work(
    name: string,
    options: WorkOptions,
    handler: (jobs: readonly { data: BenchArgs }[]) => Promise<void>,
  ): Promise<string>;
}

interface SendOptions {
  readonly startAfter?: Date;
  readonly db?: { executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> };
}

interface WorkOptions {
  readonly batchSize: number;
  readonly localConcurrency: number;
  readonly burstWhenBatchFull: boolean;
  readonly pollingIntervalSeconds?: number;
}

interface BossModule {
  readonly PgBoss: new (
    options: { connectionString: string; useListenNotify: boolean } & Partial<typeof everySecond>,
  ) => Boss;
}

export const pgBoss: System = {
  name: 'pg-boss',
  store: 'postgres',
  keeps: ['kept'],
  joinsTransactions: true,
  share: 0.5,
  given: (purpose) =>
    `localConcurrency 2, batchSize ${batchSize(purpose)}, burstWhenBatchFull, ${notifies(purpose) ? 'LISTEN/NOTIFY' : 'no notify'}, completed jobs kept 7 days${purpose === 'rescue' ? '; heartbeat 10 s, supervised every second, polled every 0.5 s' : ''}`,
  prepare: async (url, purpose) => {
    const boss = await started(url, purpose);
    await boss.createQueue(queue, {
      notify: notifies(purpose),
      ...(purpose === 'rescue' ? { heartbeatSeconds: 10 } : {}),
    });
    await stopped(boss);
  },
  producer: async (url, { purpose }) => producerOn(await started(url, purpose)),
  consumer: async (url, options) => consumerOn(await started(url, options.purpose), options),
  inspect,
};

/** For the purpose `rescue`, with the shortest heartbeat that it takes. */
const everySecond = { superviseIntervalSeconds: 1, monitorIntervalSeconds: 1, queueCacheIntervalSeconds: 1 };

function notifies(purpose: Purpose): boolean {
  return purpose !== 'throughput';
}

function batchSize(purpose: Purpose): number {
  return purpose === 'latency' || purpose === 'rescue' ? 100 : 500;
}

async function started(url: string, purpose: Purpose): Promise<Boss> {
  const { PgBoss } = await loadExtra<BossModule>('pg-boss');
  const boss = new PgBoss({
    ...{ connectionString: url, useListenNotify: notifies(purpose) },
    ...(purpose === 'rescue' ? everySecond : {}),
  });
  boss.on('error', (error) => console.error(`pg-boss: ${error.message}`));
  await boss.start();
  return boss;
}

function stopped(boss: Boss): Promise<void> {
  return boss.stop({ graceful: true, timeout: 5000 });
}

function producerOn(boss: Boss): Producer {
  return {
    one: async (args, delayMs) => {
      await boss.send(
        queue,
        args,
        delayMs === undefined ? {} : { startAfter: new Date(Date.now() + delayMs) },
      );
    },
    many: async (jobs) => {
      await boss.insert(
        queue,
        jobs.map((data) => ({ data })),
      );
    },
    inTransaction: async (tx: Client, args) => {
      const executeSql = async (text: string, values?: unknown[]): Promise<{ rows: unknown[] }> => {
        const { rows } = await tx.query<Record<string, unknown>>(text, values);
        return { rows };
      };
      await boss.send(queue, args, { db: { executeSql } });
    },
    close: () => stopped(boss),
  };
}

function consumerOn(boss: Boss, { purpose, onStart }: ConsumerOptions): Consumer {
  return {
    start: async () => {
      const options = {
        ...{ batchSize: batchSize(purpose), localConcurrency: 2, burstWhenBatchFull: true },
        ...(purpose === 'rescue' ? { pollingIntervalSeconds: 0.5 } : {}),
      };
      await boss.work(queue, options, async (jobs) => {
        const held: Promise<boolean>[] = [];
        for (const { data } of jobs) {
          const verdict = onStart(data, 1);
          if (typeof verdict !== 'boolean') held.push(verdict);
        }
        await Promise.all(held);
      });
    },
    settled: () => undefined,
    stop: () => stopped(boss),
  };
}

function inspect(url: string): Promise<Inspector> {
  return inspectBySql(url, {
    live: `select exists (select from pgboss.job where name = '${queue}' and state < 'completed') as live`,
    census: ({ live, finished }: Expected) => ({
      text: `select (count(*) filter (where state < 'active'))::integer as live, (count(*) filter (where state = 'completed'))::integer as finished,
               (count(*) filter (where state not in ('created', 'completed')))::integer as odd
             from pgboss.job where name = '${queue}'`,
      wanted: { live, finished, odd: 0 },
    }),
  });
}
