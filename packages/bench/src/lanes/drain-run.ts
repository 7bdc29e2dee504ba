import { checkCeiling, drainCeiling, preloadCeiling, prepareCeiling } from '../ceiling/ceiling.js';
import type { BenchDatabase } from '../host/bench-server.js';
import type { Store } from '../host/store.js';
import { monotonicNow } from '../processes/monotonic.js';
import type { Child } from '../processes/start-child.js';
import { withChildren } from '../processes/start-child.js';
import type { DrainResult, DrainTask, Mark, Sample } from '../processes/task.js';
import type { Inspector, Keep, System } from '../systems/system.js';
import { mustBeRight } from './lane.js';
import type { Throughput } from './throughput.js';

/** Rows per call of the preload. */
const preloadRows = 10_000;

/** A drain that takes longer than this, in ms, has stalled. */
const patience = 180_000;

/** How exactly the end is known of a system that does not tell it, in ms. */
const lookEvery = 5;

export interface Drain {
  readonly system: System;
  readonly jobs: number;
  readonly processes: number;
  /** Null: what the system is given. */
  readonly concurrency: number | null;
  readonly keep: Keep;
  /** After how many jobs the processes look at themselves. @defaultValue never */
  readonly markEvery?: number;
}

/** A drain, and how its processes were meanwhile. */
export interface Drained extends Throughput {
  readonly marks: readonly Mark[];
}

export async function measureCeiling(
  database: BenchDatabase,
  { jobs, keep }: Pick<Drain, 'jobs' | 'keep'>,
): Promise<Throughput> {
  await prepareCeiling(database);
  await preloadCeiling(database, jobs);
  const stop = await database.meter();
  const { seconds } = await drainCeiling(database, jobs, keep);
  const cost = await stop();
  mustBeRight(await checkCeiling(database, { live: 0, finished: keep === 'kept' ? jobs : 0 }));
  return { jobs, seconds, cost, clientCpuUs: NaN };
}

export async function measureSystem(store: Store, drain: Drain): Promise<Drained> {
  const { system, jobs, keep, processes, concurrency, markEvery = null } = drain;
  await preload(store, drain);
  const inspector = await system.inspect(store.url);
  const task: DrainTask = { do: 'drain', system: system.name, url: store.url, concurrency, keep, markEvery };
  try {
    return await withChildren(Array<DrainTask>(processes).fill(task), async (children) => {
      const before = await Promise.all(children.map((child) => child.sample()));
      const stop = await store.meter();
      for (const child of children) child.go();
      const after = await ended(children, { jobs, inspector });
      const cost = await stop();
      const results = await Promise.all(children.map((child) => child.stop()));
      const started = results.reduce((sum, result) => sum + result.started, 0);
      const problems = await inspector.check({ live: 0, finished: keep === 'kept' ? jobs : 0, attempts: 1 });
      mustBeRight(started === jobs ? problems : [`${started} starts of ${jobs} jobs`, ...problems]);
      const marks = results.flatMap((result) => result.marks);
      return { jobs, cost, marks, ...timed({ before, after, results }) };
    });
  } finally {
    await inspector.close();
  }
}

interface Ran {
  readonly before: readonly Sample[];
  readonly after: readonly Sample[];
  readonly results: readonly DrainResult[];
}

function timed({ before, after, results }: Ran): Pick<Throughput, 'seconds' | 'clientCpuUs'> {
  const end = Math.max(...after.map(({ at }) => at));
  const begun = Math.min(...results.map(({ firstStart }) => firstStart));
  const clientCpuUs = after.reduce((sum, { cpuUs }, i) => sum + cpuUs - (before[i]?.cpuUs ?? NaN), 0);
  return { seconds: (end - begun) / 1000, clientCpuUs };
}

async function preload({ url }: Store, { system, jobs, keep }: Drain): Promise<void> {
  await system.prepare(url, 'throughput');
  const producer = await system.producer(url, { keep, purpose: 'throughput' });
  for (let stored = 0; stored < jobs; stored += preloadRows) {
    await producer.many(Array.from({ length: Math.min(preloadRows, jobs - stored) }, () => ({})));
  }
  await producer.close();
}

type Children = readonly Child<DrainTask>[];

/** Resolves when the children together have ended that many jobs, with how far each was. */
async function ended(
  children: Children,
  { jobs, inspector }: { jobs: number; inspector: Inspector },
): Promise<Sample[]> {
  await told(children, jobs);
  const latest = children.map((child) => child.latest).filter((sample) => sample !== undefined);
  if (latest.every(({ isEnd }) => isEnd === true)) return latest;
  const deadline = monotonicNow() + patience;
  while (await inspector.hasLive()) {
    if (monotonicNow() > deadline) throw new Error('jobs that have started do not end');
    await new Promise((resolve) => setTimeout(resolve, lookEvery));
  }
  const at = monotonicNow();
  const samples = await Promise.all(children.map((child) => child.sample()));
  return samples.map((sample) => ({ ...sample, at }));
}

/** Resolves when the children have told of that many jobs, ended or, where the system does not tell, started. */
function told(children: Children, jobs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const count = (): number => children.reduce((sum, { latest }) => sum + (latest?.count ?? 0), 0);
    const timer = setTimeout(() => {
      reject(new Error(`${count()} of ${jobs} jobs were worked off within ${patience} ms`));
    }, patience);
    for (const child of children) {
      child.done.catch(reject);
      child.onSample = () => {
        if (count() < jobs) return;
        clearTimeout(timer);
        resolve();
      };
    }
  });
}
