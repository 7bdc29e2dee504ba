import {
  ceilingGiven,
  ceilingName,
  checkCeiling,
  drainCeiling,
  preloadCeiling,
  prepareCeiling,
} from '../ceiling/ceiling.js';
import type { BenchDatabase } from '../host/bench-server.js';
import { monotonicNow } from '../processes/monotonic.js';
import type { Child } from '../processes/start-child.js';
import { withChildren } from '../processes/start-child.js';
import type { DrainTask } from '../processes/task.js';
import { median } from '../report/statistics.js';
import { rowlock } from '../systems/rowlock.js';
import type { Keep, System } from '../systems/system.js';
import type { LaneContext, LaneResult } from './lane.js';
import { mustBeRight } from './lane.js';
import type { Case, Throughput } from './throughput.js';
import { measureInTurn, plainMeasurements, ratiosOf, throughputTable } from './throughput.js';

/** Rows per call of the preload. */
const preloadRows = 10_000;
/** A drain that takes longer than this, in ms, has stalled. */
const patience = 180_000;
const target = 0.7;

interface Drain {
  readonly system: System;
  readonly jobs: number;
  readonly processes: number;
  /** Null: the default. */
  readonly concurrency: number | null;
  readonly keep: Keep;
}

export async function drainLane(context: LaneContext): Promise<LaneResult> {
  const jobs = context.quick ? 60_000 : 200_000;
  const cases = (['kept', 'not kept'] as const).flatMap((keep) => casesFor(context, { jobs, keep }));
  const measured = await measureInTurn(cases, context);
  const promised = cases.find(({ against }) => against !== null);
  return {
    notes: [
      `${jobs.toLocaleString('en-US')} no-op jobs per drain, stored beforehand by enqueueMany; from the first start of a handler to the last settle.`,
      `${rowlock.name} was given: ${rowlock.given}. Rows "100 at once" change that one option.`,
      `${ceilingName} was given: ${ceilingGiven}; no history where it says so.`,
    ],
    tables: [throughputTable(cases, measured)],
    bars: [
      {
        name: 'drain_1_process_kept_of_ceiling',
        value: promised === undefined ? NaN : median(ratiosOf(promised, measured)),
        op: '>=',
        target,
      },
    ],
    measurements: plainMeasurements(measured),
  };
}

function casesFor({ server, quick }: LaneContext, { jobs, keep }: Pick<Drain, 'jobs' | 'keep'>): Case[] {
  const ceiling: Case = {
    system: ceilingName,
    work: `2 clients, history ${keep}`,
    against: null,
    measure: () => server.withDatabase((database) => measureCeiling(database, { jobs, keep, server })),
  };
  const ours = shapes(quick, keep).map(({ processes, concurrency }): Case => {
    const drain = { system: rowlock, jobs, processes, concurrency, keep };
    return {
      system: rowlock.name,
      work: `${processes} process${processes === 1 ? '' : 'es'}, ${concurrency ?? 'default 10'} at once, history ${keep}`,
      against: ceiling,
      measure: () => server.withDatabase((database) => measureSystem(database, drain, server)),
    };
  });
  return [ceiling, ...ours];
}

function shapes(quick: boolean, keep: Keep): Pick<Drain, 'processes' | 'concurrency'>[] {
  const all = [1, 2, 4].flatMap((processes) =>
    [null, 100].map((concurrency) => ({ processes, concurrency })),
  );
  if (!quick) return all;
  return all.filter(({ processes, concurrency }) =>
    keep === 'kept'
      ? processes === 1 || (processes === 2 && concurrency === null)
      : processes === 1 && concurrency === null,
  );
}

type Server = LaneContext['server'];

async function measureCeiling(
  database: BenchDatabase,
  { jobs, keep, server }: Pick<Drain, 'jobs' | 'keep'> & { server: Server },
): Promise<Throughput> {
  await prepareCeiling(database);
  await preloadCeiling(database, jobs);
  const stop = await server.meter();
  const { seconds } = await drainCeiling(database, jobs, keep);
  const cost = await stop();
  mustBeRight(await checkCeiling(database, { live: 0, finished: keep === 'kept' ? jobs : 0 }));
  return { jobs, seconds, cost, clientCpuUs: NaN };
}

async function measureSystem(database: BenchDatabase, drain: Drain, server: Server): Promise<Throughput> {
  const { system, jobs, keep, processes, concurrency } = drain;
  await preload(database, drain);
  const task: DrainTask = { do: 'drain', system: system.name, url: database.url, concurrency, keep };
  return withChildren(Array<DrainTask>(processes).fill(task), async (children) => {
    const before = await Promise.all(children.map((child) => child.sample()));
    const stop = await server.meter();
    for (const child of children) child.go();
    await allSettled(children, jobs);
    const cost = await stop();
    const after = children.map(({ latest }) => latest);
    const results = await Promise.all(children.map((child) => child.stop()));
    const started = results.reduce((sum, result) => sum + result.started, 0);
    const problems = await system.check(database.client, {
      live: 0,
      finished: keep === 'kept' ? jobs : 0,
      attempts: 1,
    });
    mustBeRight(started === jobs ? problems : [`${started} starts of ${jobs} jobs`, ...problems]);
    const ended = Math.max(...after.map((sample) => sample?.at ?? NaN));
    const begun = Math.min(...results.map(({ firstStart }) => firstStart));
    const clientCpuUs = after.reduce(
      (sum, sample, i) => sum + (sample?.cpuUs ?? NaN) - (before[i]?.cpuUs ?? NaN),
      0,
    );
    return { jobs, seconds: (ended - begun) / 1000, cost, clientCpuUs };
  });
}

async function preload({ url }: BenchDatabase, { system, jobs, keep }: Drain): Promise<void> {
  await system.prepare(url);
  const producer = system.producer(url, keep);
  for (let stored = 0; stored < jobs; stored += preloadRows) {
    await producer.many(Array.from({ length: Math.min(preloadRows, jobs - stored) }, () => ({})));
  }
  await producer.close();
}

/** Resolves when the children together have settled that many jobs. */
function allSettled(children: readonly Child<DrainTask>[], jobs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const settled = (): number => children.reduce((sum, { latest }) => sum + (latest?.count ?? 0), 0);
    const begun = monotonicNow();
    const timer = setTimeout(() => {
      reject(
        new Error(
          `${settled()} of ${jobs} jobs were settled within ${Math.round(monotonicNow() - begun)} ms`,
        ),
      );
    }, patience);
    for (const child of children) {
      child.done.catch(reject);
      child.onSample = () => {
        if (settled() < jobs) return;
        clearTimeout(timer);
        resolve();
      };
    }
  });
}
