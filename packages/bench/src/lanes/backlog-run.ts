import type { Client } from 'pg';
import { defineJob, Rowlock, type } from 'rowlock';
import type { BenchDatabase } from '../host/bench-server.js';
import { withChildren } from '../processes/start-child.js';
import type { DrainTask } from '../processes/task.js';
import { pausable, rowlock, rowlockWithPaused } from '../systems/rowlock.js';
import type { BenchArgs } from '../systems/system.js';
import { untilCount } from './until-count.js';

export type Ahead = 'nothing' | 'ready' | 'future' | 'paused queue' | 'paused kind' | 'unserved kind';

/** What the server did to find the jobs of one measurement. */
export interface Claims {
  readonly jobs: number;
  readonly calls: number;
  readonly ms: number;
  readonly buffers: number;
}

const bulk = 10_000;
const anHourMs = 3_600_000;

const ours = defineJob('bench', { args: type<BenchArgs>() });
const kinds = {
  nothing: ours,
  ready: ours,
  future: ours,
  'paused queue': pausable.inQueue,
  'paused kind': pausable.byKind,
  'unserved kind': defineJob('unserved', { args: type<BenchArgs>() }),
} satisfies Readonly<Record<Ahead, unknown>>;

/** Stores them through the public API, and lets the server learn what it would know of a table of that size. */
export async function putAhead(
  { url, client: own }: BenchDatabase,
  { ahead, rows }: { readonly ahead: Ahead; readonly rows: number },
): Promise<void> {
  await rowlock.prepare(url, 'throughput');
  await defineKinds(url);
  const client = new Rowlock({ connectionString: url });
  try {
    const options = ahead === 'future' ? { delay: anHourMs } : {};
    for (let stored = 0; stored < rows; stored += bulk)
      await client.enqueueMany(Array.from({ length: bulk }, () => kinds[ahead].with({}, options)));
    if (ahead === 'paused queue') await client.queues.pause(pausable.inQueue.queue);
    if (ahead === 'paused kind') await client.kinds.pause(pausable.byKind);
  } finally {
    await client.close();
  }
  await own.query('vacuum analyze rowlock.job');
}

/** A kind can be paused once a worker has served it. */
async function defineKinds(url: string): Promise<void> {
  const worker = await rowlockWithPaused.consumer(url, {
    ...{ concurrency: null, keep: 'kept', purpose: 'throughput', pollOnly: false },
    onStart: () => true,
  });
  await worker.start();
  await worker.stop();
}

/** A worker takes that many jobs; what the server did for it meanwhile. */
export async function measureClaims(database: BenchDatabase, ahead: Ahead, jobs: number): Promise<Claims> {
  if (ahead !== 'ready') await storeDue(database, jobs);
  const concurrency = null;
  const task: DrainTask = {
    ...{
      do: 'drain',
      system: rowlockWithPaused.name,
      url: database.url,
      keep: 'kept',
      markEvery: null,
      concurrency,
    },
  };
  return withChildren([task], async ([worker]) => {
    if (worker === undefined) throw new TypeError('no child');
    const before = await standOf(database.client);
    worker.go();
    await untilCount(worker, jobs);
    await worker.stop();
    const after = await standOf(database.client);
    return {
      jobs: after.jobs - before.jobs,
      calls: after.calls - before.calls,
      ms: after.ms - before.ms,
      buffers: after.buffers - before.buffers,
    };
  });
}

async function storeDue({ url }: BenchDatabase, jobs: number): Promise<void> {
  const producer = await rowlock.producer(url, { keep: 'kept', purpose: 'throughput' });
  for (let stored = 0; stored < jobs; stored += bulk)
    await producer.many(Array.from({ length: bulk }, () => ({})));
  await producer.close();
}

async function standOf(client: Client): Promise<Claims> {
  const { rows } = await client.query<Record<keyof Claims, string>>(
    `select coalesce(sum(calls), 0) as calls, coalesce(sum(total_exec_time), 0) as ms,
       coalesce(sum(shared_blks_hit + shared_blks_read), 0) as buffers, (select count(*) from rowlock.finished) as jobs
     from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database()) and query ilike '%skip locked%'`,
  );
  const [row] = rows;
  return {
    ...{ jobs: Number(row?.jobs), calls: Number(row?.calls) },
    ...{ ms: Number(row?.ms), buffers: Number(row?.buffers) },
  };
}
