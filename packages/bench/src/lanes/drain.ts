import { ceilingGiven, ceilingName } from '../ceiling/ceiling.js';
import { withStore } from '../host/stores.js';
import type { Bar } from '../report/bars.js';
import { median } from '../report/statistics.js';
import { rowlock } from '../systems/rowlock.js';
import type { Keep, System } from '../systems/system.js';
import type { Drain } from './drain-run.js';
import { measureCeiling, measureSystem } from './drain-run.js';
import { knownShare } from './known-shares.js';
import type { LaneContext, LaneResult } from './lane.js';
import type { Case, Measured, Pair } from './throughput.js';
import {
  measureInTurn,
  pairTable,
  plainMeasurements,
  ratiosBetween,
  throughputPlot,
  throughputTable,
} from './throughput.js';

const ofCeiling = 0.75;

/** How much faster than which peer one process of ours is to be, by whether ours keeps history. */
const targets: Readonly<Record<Keep, Readonly<Record<string, number>>>> = {
  kept: { 'graphile-lq': 1.5, 'pg-boss': 2.5 },
  'not kept': { graphile: 1.7, 'graphile-lq': 1.7 },
};

/**
 * How several processes are to compare with one. They drain this many times the jobs: while its code is compiled a process
 * takes two to three times as long a job, and with two cores for 16 of them a short drain would measure little else.
 */
const scaling: Readonly<Record<number, number>> = { 4: 1, 16: 0.8 };
const longer = 5;

interface DrainCase extends Case {
  readonly drain: Omit<Drain, 'system'>;
}

export async function drainLane(context: LaneContext): Promise<LaneResult> {
  const jobs = context.quick ? 60_000 : 200_000;
  const ours = (['kept', 'not kept'] as const).flatMap((keep) => ourCases(context, { jobs, keep }));
  const single = ours.filter(isSingle(jobs));
  const ceilings = ceilingsOf(ours);
  const peers = context.against.map((system) => peerCase(context, { system, jobs, ours }));
  const cases = [...ceilings, ...ours, ...peers];
  const { measured, voided } = await measureInTurn(cases, context);
  const pairs = single.flatMap((each) => peers.map((peer) => ({ ours: each, peer })));
  return {
    notes: [
      `${jobs.toLocaleString('en-US')} no-op jobs per drain (where a row says so more, and for a slow peer fewer), stored beforehand in bulk; from the first start of a handler to the last settle.`,
      `${rowlock.name} was given: ${rowlock.given('throughput')}. Rows "100 at once" change that one option.`,
      ...context.against.map((peer) => `${peer.name} was given: ${peer.given('throughput')}.`),
      `${ceilingName} was given: ${ceilingGiven}; no history where it says so.`,
      ...voided.map((reason) => `A round was void. ${reason}.`),
    ],
    tables: [throughputTable(cases, measured), ...(pairs.length > 0 ? [pairTable(pairs, measured)] : [])],
    bars: [...ceilingBars(single, measured), ...scalingBars(ours, measured), ...peerBars(pairs, measured)],
    plots: [throughputPlot(cases, measured)],
    measurements: plainMeasurements(measured),
  };
}

function ourCases({ server, quick }: LaneContext, { jobs, keep }: Pick<Drain, 'jobs' | 'keep'>): DrainCase[] {
  const ceiling: Case = {
    system: ceilingName,
    work: `2 clients, history ${keep}`,
    against: null,
    measure: () => server.withDatabase((database) => measureCeiling(database, { jobs, keep })),
  };
  return shapes({ quick, jobs, keep }).map((shape) => {
    const drain = { ...shape, keep };
    const number = drain.jobs === jobs ? '' : `${drain.jobs.toLocaleString('en-US')} jobs, `;
    return {
      drain,
      system: rowlock.name,
      work: `${shape.processes} process${shape.processes === 1 ? '' : 'es'}, ${number}${shape.concurrency ?? 'default 10'} at once, history ${keep}`,
      against: ceiling,
      measure: () =>
        server.withDatabase((database) => measureSystem(database, { ...drain, system: rowlock })),
    };
  });
}

function ceilingsOf(ours: readonly DrainCase[]): Case[] {
  return [...new Set(ours.map(({ against }) => against))].filter((each) => each !== null);
}

interface Beside {
  readonly system: System;
  readonly jobs: number;
  readonly ours: readonly DrainCase[];
}

function peerCase({ server, quick }: LaneContext, { system, jobs, ours }: Beside): Case {
  const [keep] = system.keeps;
  const drain = { system, jobs: jobs * system.share, processes: 1, concurrency: null, keep };
  return {
    system: system.name,
    work: `1 process, ${drain.jobs.toLocaleString('en-US')} jobs, history ${keep}`,
    against: ours.find((each) => each.drain.keep === keep)?.against ?? null,
    known: quick ? undefined : knownShare('drain', system.name),
    measure: () => withStore(server, system.store, (store) => measureSystem(store, drain)),
  };
}

type Shape = Pick<Drain, 'processes' | 'concurrency' | 'jobs'>;

function shapes({ quick, jobs, keep }: Pick<Drain, 'jobs' | 'keep'> & { quick: boolean }): Shape[] {
  const byDefault = { processes: 1, concurrency: null, jobs };
  if (keep === 'not kept') return [byDefault];
  const several = quick
    ? [{ ...byDefault, processes: 2 }]
    : [1, 2, 4, 16].map((processes) => ({ processes, concurrency: null, jobs: jobs * longer }));
  return [byDefault, { ...byDefault, concurrency: 100 }, ...several];
}

/** One process with every default and the jobs of the lane. */
function isSingle(jobs: number): (each: DrainCase) => boolean {
  return ({ drain }) => drain.processes === 1 && drain.concurrency === null && drain.jobs === jobs;
}

function ceilingBars(single: readonly DrainCase[], measured: Measured): Bar[] {
  return single.map((each) => ({
    name: `drain_1_process_${nameOf(each.drain.keep)}_of_ceiling`,
    value: each.against === null ? NaN : median(ratiosBetween([each, each.against], measured)),
    op: '>=',
    target: ofCeiling,
  }));
}

function scalingBars(ours: readonly DrainCase[], measured: Measured): Bar[] {
  return ours.flatMap((each): Bar[] => {
    const target = scaling[each.drain.processes];
    const one = ours.find(({ drain }) => drain.processes === 1 && drain.jobs === each.drain.jobs);
    if (one === undefined || target === undefined) return [];
    const value = median(ratiosBetween([each, one], measured));
    return [{ name: `drain_${each.drain.processes}_processes_of_1`, value, op: '>=', target }];
  });
}

function peerBars(pairs: readonly (Pair & { readonly ours: DrainCase })[], measured: Measured): Bar[] {
  return pairs.flatMap(({ ours, peer }): Bar[] => {
    const { keep } = ours.drain;
    const target = targets[keep][peer.system];
    if (target === undefined) return [];
    const value = median(ratiosBetween([ours, peer], measured));
    return [{ name: `drain_${nameOf(keep)}_of_${peer.system}`, value, op: '>=', target }];
  });
}

function nameOf(keep: Keep): string {
  return keep.replace(' ', '_');
}
