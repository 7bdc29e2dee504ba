import { buildBase } from '../host/base-build.js';
import type { Bar } from '../report/bars.js';
import { bootstrapLowerBound, median, pairedRatios } from '../report/statistics.js';
import type { Table } from '../report/table.js';
import { number } from '../report/table.js';
import { base } from '../systems/base.js';
import { rowlock } from '../systems/rowlock.js';
import type { System } from '../systems/system.js';
import type { Drain } from './drain-run.js';
import { measureSystem as measureDrain } from './drain-run.js';
import type { Enqueue } from './enqueue-run.js';
import { measureSystem as measureEnqueue } from './enqueue-run.js';
import type { LaneContext, LaneResult } from './lane.js';
import { mustBeRight } from './lane.js';
import { measureOffer, unwindowed } from './offered.js';

/** Least median of the ratios, and least lower bound of it with 95 % confidence. */
const leastMedian = 0.97;
const leastBound = 0.94;

/** Of a system, how fast it is at something: the more the better. */
type Measure = (context: LaneContext, system: System) => Promise<number>;

interface Work {
  readonly name: string;
  readonly measure: Measure;
}

interface Pairs extends Work {
  readonly ours: number[];
  readonly base: number[];
}

const drainJobs = { full: 200_000, quick: 40_000 };

const works: readonly Work[] = [
  { name: 'drain, history kept', measure: draining({ processes: 1, concurrency: null, keep: 'kept' }) },
  {
    name: 'drain, history not kept',
    measure: draining({ processes: 1, concurrency: null, keep: 'not kept' }),
  },
  { name: 'enqueue, 1 in flight', measure: enqueueing({ how: 'one', inFlight: 1, rows: 1, calls: 3000 }) },
  {
    name: 'enqueue, 16 in flight',
    measure: enqueueing({ how: 'one', inFlight: 16, rows: 1, calls: 40_000 }),
  },
  { name: 'enqueue, bulk of 500', measure: enqueueing({ how: 'many', inFlight: 1, rows: 500, calls: 200 }) },
  { name: 'immediate start, p50', measure: starting },
];

/** The working tree against the commit that `perf-base` names, pair by pair. */
export async function baseLane(context: LaneContext): Promise<LaneResult> {
  const { rounds, log } = context;
  const commit = await buildBase(log);
  const all = works.map((work): Pairs => ({ ...work, ours: [], base: [] }));
  for (let round = 1; round <= rounds; round += 1) {
    for (const pairs of all) {
      // Who goes first changes: whatever one leaves behind meets both.
      const order = round % 2 === 1 ? [rowlock, base] : [base, rowlock];
      for (const system of order) {
        const value = await pairs.measure(context, system);
        pairs[system === base ? 'base' : 'ours'].push(value);
      }
      log(`round ${round}/${rounds}  ${pairs.name}  ${number(ratiosOf(pairs).at(-1) ?? NaN)} of base`);
    }
  }
  return {
    notes: [
      `base is ${commit}, which packages/bench/perf-base names. Pairs are measured one after the other, by turns in either order; of latency the ratio is that of its inverse, so more is better throughout.`,
      'The bound is the fifth percentile of the medians of 10,000 resamples (percentile bootstrap).',
      `both were given: ${rowlock.given('throughput')}.`,
    ],
    tables: [tableOf(all)],
    bars: all.flatMap(barsOf),
    plots: [],
    measurements: all.map(({ name, ours, base: its }) => ({ name, ours, base: its })),
  };
}

function draining(drain: Omit<Drain, 'system' | 'jobs'>): Measure {
  return ({ server, quick }, system) =>
    server.withDatabase(async (database) => {
      const wanted = { ...drain, system, jobs: quick ? drainJobs.quick : drainJobs.full };
      const { jobs, seconds } = await measureDrain(database, wanted);
      return jobs / seconds;
    });
}

function enqueueing(enqueue: Omit<Enqueue, 'name' | 'script' | 'argsBytes'>): Measure {
  return ({ server, quick }, system) =>
    server.withDatabase(async (database) => {
      const calls = quick ? enqueue.calls / 10 : enqueue.calls;
      const wanted = {
        ...enqueue,
        calls,
        system,
        argsBytes: 100,
        name: enqueue.how,
        script: 'enqueue_one',
      } as const;
      const { jobs, seconds } = await measureEnqueue(database, wanted);
      return jobs / seconds;
    });
}

function starting({ server, quick }: LaneContext, system: System): Promise<number> {
  return server.withDatabase(async (database) => {
    await system.prepare(database.url, 'latency');
    const { latency, problems } = await measureOffer(
      database,
      {
        ...{ system, purpose: 'latency', everyMs: 10, rows: 1, seconds: quick ? 2 : 10 },
        ...{ delayMs: 0, pollOnly: false, failFirst: false, windows: unwindowed },
      },
      () => Promise.resolve(),
    );
    mustBeRight(problems);
    return 1 / latency.all.p50;
  });
}

function ratiosOf({ ours, base: its }: Pairs): number[] {
  return pairedRatios(ours, its);
}

function tableOf(all: readonly Pairs[]): Table {
  return {
    columns: ['work', 'of base', 'lower bound', 'lowest to highest'],
    rows: all.map((pairs) => {
      const ratios = ratiosOf(pairs);
      return [
        ...[pairs.name, number(median(ratios)), number(bootstrapLowerBound(ratios))],
        `${number(Math.min(...ratios))} to ${number(Math.max(...ratios))}`,
      ];
    }),
  };
}

function barsOf(pairs: Pairs): Bar[] {
  const name = `base_${pairs.name.replaceAll(/[^a-z0-9]+/g, '_')}`;
  const ratios = ratiosOf(pairs);
  return [
    { name: `${name}_median`, value: median(ratios), op: '>=', target: leastMedian },
    { name: `${name}_lower_bound`, value: bootstrapLowerBound(ratios), op: '>=', target: leastBound },
  ];
}
