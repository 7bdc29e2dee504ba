import { ceilingGiven, ceilingName } from '../ceiling/ceiling.js';
import { withStore } from '../host/stores.js';
import type { Bar } from '../report/bars.js';
import type { Plot } from '../report/plot.js';
import { median } from '../report/statistics.js';
import { rowlock } from '../systems/rowlock.js';
import type { System } from '../systems/system.js';
import type { Enqueue, Way } from './enqueue-run.js';
import { measureCeiling, measureDriver, measureSystem } from './enqueue-run.js';
import { knownShare } from './known-shares.js';
import type { LaneContext, LaneResult } from './lane.js';
import type { Case, Measured, Pair } from './throughput.js';
import {
  measureInTurn,
  medianRate,
  pairTable,
  plainMeasurements,
  ratiosBetween,
  throughputTable,
} from './throughput.js';

interface Size {
  readonly name: string;
  readonly bytes: number;
  /** Fewer jobs the larger they are, so that every run writes some 100 MB at most. */
  readonly share: number;
}

const smallest = 100;

const sizes: readonly Size[] = [
  { name: '100 B', bytes: smallest, share: 1 },
  { name: '1 KB', bytes: 1024, share: 0.5 },
  { name: '10 KB', bytes: 10_240, share: 0.1 },
];

const awaited = 'one by one, 1 in flight';
const together = 'one by one, 16 in flight';
const inTransaction = 'in a caller’s transaction';
const bulk = 'bulk of 500';

const one = { how: 'one', script: 'enqueue_one', rows: 1 } as const;

const ways: readonly Way[] = [
  { ...one, name: awaited, inFlight: 1, calls: 5000 },
  { ...one, name: together, inFlight: 16, calls: 60_000 },
  {
    ...{ name: inTransaction, how: 'transaction', script: 'enqueue_in_transaction' },
    ...{ inFlight: 1, rows: 1, calls: 3000 },
  },
  { name: bulk, how: 'many', script: 'enqueue', inFlight: 1, rows: 500, calls: 240 },
  { name: 'bulk of 100k', how: 'many', script: 'enqueue', inFlight: 1, rows: 100_000, calls: 1 },
];

/** How many times the rate of which peer ours is to have, by way, at 100 B. */
const targets: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  [awaited]: { 'pg-boss': 2.5 },
  [together]: { 'pg-boss': 10, graphile: 10, 'bullmq-redis': 0.6 },
  [bulk]: { 'pg-boss': 2.5, graphile: 2.5 },
};

/** The same of what the caller does through the driver alone: one INSERT, and one within its transaction. */
const driverTargets: Readonly<Record<string, number>> = { [awaited]: 0.9, [inTransaction]: 1 / 1.15 };

interface Group {
  readonly enqueue: Enqueue;
  readonly ours: Case;
  readonly cases: readonly Case[];
  /** What ours is held against besides the ceiling. */
  readonly pairs: readonly Pair[];
}

export async function enqueueLane(context: LaneContext): Promise<LaneResult> {
  const groups = groupsFor(context);
  const cases = groups.flatMap((group) => group.cases);
  const { measured, voided } = await measureInTurn(cases, context);
  const pairs = groups.flatMap((group) => group.pairs);
  return {
    notes: [
      'Args are JSON of the given length that does not compress. jobs/s counts jobs, or transactions for the rows of a caller. A slow peer gets fewer calls.',
      `${rowlock.name} was given: the public API with every default, one process; one by one, calls that wait share a statement.`,
      ...context.against.map((peer) => `${peer.name} was given: ${peer.given('throughput')}.`),
      `${ceilingName} was given: ${ceilingGiven}; one INSERT a commit; in bulk the args are parsed once, as many clients as calls in flight.`,
      `${driverName} is what a caller does without a queue, in the same kind of process: a prepared INSERT of one of the ceiling's jobs, alone or between begin, an insert of its own and commit.`,
      ...voided.map((reason) => `A round was void. ${reason}.`),
    ],
    tables: [throughputTable(cases, measured), pairTable(pairs, measured)],
    bars: groups
      .filter(({ enqueue }) => enqueue.argsBytes === smallest)
      .flatMap((group) => barsOf(group, measured)),
    plots: [plotOf(groups, measured)],
    measurements: plainMeasurements(measured),
  };
}

/** By way of enqueueing, all systems, at the smallest args. */
function plotOf(groups: readonly Group[], measured: Measured): Plot {
  const shown = groups.filter(({ enqueue }) => enqueue.argsBytes === smallest);
  const systems = [...new Set(shown.flatMap(({ cases }) => cases.map(({ system }) => system)))];
  return {
    ...{ name: 'rates', title: `Jobs stored a second, args of ${smallest} B`, unit: 'jobs/s' },
    ...{ shape: 'bars', logarithmic: true },
    labels: shown.map(({ enqueue }) => enqueue.name),
    series: systems.map((system) => ({
      name: system,
      values: shown.map(({ cases }) => {
        const last = cases.filter((each) => each.system === system).at(-1);
        return last === undefined ? NaN : medianRate(last, measured);
      }),
    })),
  };
}

const driverName = 'pg';

function groupsFor(context: LaneContext): Group[] {
  if (!context.quick) return sizes.flatMap((size) => ways.map((way) => groupOf(context, way, size)));
  return sizes.flatMap((size) =>
    ways
      .filter(({ name }) => size.bytes === 100 || name === bulk)
      .map((way) => groupOf(context, reduced(way), size)),
  );
}

function reduced(way: Way): Way {
  return way.calls === 1 ? { ...way, rows: way.rows / 5 } : { ...way, calls: Math.ceil(way.calls / 10) };
}

function groupOf({ server, against, quick }: LaneContext, way: Way, size: Size): Group {
  const fit = fitted(way, size.share);
  const enqueue = { ...fit, argsBytes: size.bytes };
  const work = `${way.name}, ${size.name}${fit.rows === way.rows ? '' : ` (${fit.rows.toLocaleString('en-US')} rows)`}`;
  const ceiling: Case = {
    system: ceilingName,
    work,
    against: null,
    measure: () => server.withDatabase((database) => measureCeiling(database, enqueue)),
  };
  const caseOf = (system: System): Case => ({
    system: system.name,
    work,
    against: ceiling,
    known: quick ? undefined : knownShare(`enqueue ${work}`, system.name),
    measure: () =>
      withStore(server, system.store, (store) =>
        measureSystem(store, {
          ...enqueue,
          ...fitted(way, size.share * system.share),
          argsBytes: size.bytes,
          system,
        }),
      ),
  });
  const driver = driverCases({ server, work, ceiling, enqueue });
  const peers = against
    .filter(({ joinsTransactions }) => joinsTransactions || way.how !== 'transaction')
    .map(caseOf);
  const ours = caseOf(rowlock);
  const held = [...driver.slice(-1), ...peers];
  return {
    ...{ enqueue, ours, cases: [ceiling, ours, ...driver, ...peers] },
    pairs: held.map((peer) => ({ ours, peer })),
  };
}

interface Beside {
  readonly server: LaneContext['server'];
  readonly work: string;
  readonly ceiling: Case;
  readonly enqueue: Enqueue;
}

/** What a caller would do without a queue; the last of them stores the job's row too. */
function driverCases({ server, work, ceiling, enqueue }: Beside): Case[] {
  const caseOf = (how: 'caller' | 'insert' | 'both', what: string): Case => ({
    system: driverName,
    work: `${what}, ${work}`,
    against: ceiling,
    measure: () => server.withDatabase((database) => measureDriver(database, { ...enqueue, how })),
  });
  if (enqueue.name === awaited) return [caseOf('insert', 'one INSERT')];
  if (enqueue.name !== inTransaction) return [];
  return [caseOf('caller', 'no job'), caseOf('both', 'one INSERT')];
}

function fitted(way: Way, share: number): Way {
  return way.calls === 1
    ? { ...way, rows: Math.round(way.rows * share) }
    : { ...way, calls: Math.ceil((way.calls * share) / way.inFlight) * way.inFlight };
}

function barsOf({ enqueue, pairs }: Group, measured: Measured): Bar[] {
  return pairs.flatMap(({ ours, peer }): Bar[] => {
    const target =
      peer.system === driverName ? driverTargets[enqueue.name] : targets[enqueue.name]?.[peer.system];
    if (target === undefined) return [];
    const name = `enqueue_${enqueue.name.replaceAll(/[^a-z0-9]+/g, '_')}_of_${peer.system}`;
    return [{ name, value: median(ratiosBetween([ours, peer], measured)), op: '>=', target }];
  });
}
