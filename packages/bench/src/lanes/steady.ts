import type { Cost } from '../host/store.js';
import { withStore } from '../host/stores.js';
import type { ReceiveResult } from '../processes/task.js';
import type { Bar } from '../report/bars.js';
import type { Plot } from '../report/plot.js';
import { median, spread } from '../report/statistics.js';
import type { Table } from '../report/table.js';
import { number, percent } from '../report/table.js';
import { rowlock } from '../systems/rowlock.js';
import type { System } from '../systems/system.js';
import type { LaneContext, LaneResult } from './lane.js';
import { mustBeRight } from './lane.js';
import type { Offer } from './offered.js';
import { measureOffer, unwindowed } from './offered.js';

interface Load {
  readonly name: string;
  readonly perSecond: number;
  /** Jobs a call. */
  readonly rows: number;
}

const loads: readonly Load[] = [
  { name: '1,000/s, one by one', perSecond: 1000, rows: 1 },
  { name: '5,000/s, in bulks of 20', perSecond: 5000, rows: 20 },
];

interface Run {
  readonly latency: ReceiveResult['all'];
  readonly endBacklog: number;
  readonly offered: number;
  readonly cost: Cost;
  readonly seconds: number;
  readonly problems: readonly string[];
}

/** A row of the lane: a system under a load, round after round. */
interface Subject {
  readonly system: System;
  readonly load: Load;
  readonly runs: Run[];
}

export async function steadyLane(context: LaneContext): Promise<LaneResult> {
  const { against, rounds, seconds, log } = context;
  const subjects = loads.flatMap((load) =>
    [rowlock, ...against].map((system): Subject => ({ system, load, runs: [] })),
  );
  for (let round = 1; round <= rounds; round += 1) {
    for (const subject of subjects) {
      const run = await measure(subject, context);
      subject.runs.push(run);
      const { system, load } = subject;
      log(`round ${round}/${rounds}  ${system.name}  ${load.name}  p99 ${number(run.latency.p99)} ms`);
    }
  }
  return {
    notes: [
      `Jobs offered for ${seconds} s, evenly, whether or not earlier calls are answered, from one process to a worker in another; ms from the call of enqueue to the start of the handler.`,
      ...[rowlock, ...against].map((system) => `${system.name} was given: ${system.given('load')}.`),
      ...problemsOf(subjects),
    ],
    tables: [tableOf(subjects)],
    bars: barsOf(subjects),
    plots: [plotOf(subjects)],
    measurements: subjects.map(({ system, load, runs }) => ({ system: system.name, load, runs })),
  };
}

async function measure({ system, load }: Subject, { server, seconds }: LaneContext): Promise<Run> {
  const { perSecond, rows } = load;
  const offer: Offer = {
    ...{ system, purpose: 'load', everyMs: (1000 * rows) / perSecond, rows, seconds },
    ...{ delayMs: 0, pollOnly: false, failFirst: false, windows: unwindowed },
  };
  const run = await withStore(server, system.store, async (store) => {
    await system.prepare(store.url, 'load');
    return measureOffer(store, offer, () => Promise.resolve());
  });
  if (system === rowlock) mustBeRight(run.problems);
  return { ...run, latency: run.latency.all, seconds };
}

function problemsOf(subjects: readonly Subject[]): string[] {
  return subjects.flatMap(({ system, load, runs }) =>
    runs.flatMap(({ problems }) => problems).map((problem) => `${system.name}, ${load.name}: ${problem}.`),
  );
}

function tableOf(subjects: readonly Subject[]): Table {
  return {
    columns: [
      ...['system', 'load', 'p50 ms', 'p95 ms', 'p99 ms', 'spread', 'max ms', 'end backlog'],
      ...['server CPU', 'server CPU µs/job', 'DB time µs/job', 'WAL B/job'],
    ],
    rows: subjects.map(({ system, load, runs }) => {
      const of = (value: (run: Run) => number): number => median(runs.map(value));
      return [
        ...[system.name, load.name],
        ...(['p50', 'p95', 'p99'] as const).map((name) => number(of(({ latency }) => latency[name]))),
        percent(spread(runs.map(({ latency }) => latency.p99))),
        number(of(({ latency }) => latency.max)),
        of(({ endBacklog }) => endBacklog).toLocaleString('en-US'),
        percent(of(({ cost, seconds }) => cost.cpuUs / (seconds * 1_000_000))),
        number(of(({ cost, offered }) => cost.cpuUs / offered)),
        number(of(({ cost, offered }) => cost.dbTimeUs / offered)),
        number(of(({ cost, offered }) => cost.walBytes / offered)),
      ];
    }),
  };
}

function plotOf(subjects: readonly Subject[]): Plot {
  return {
    ...{ name: 'milliseconds', title: 'From enqueue to the start of the handler', unit: 'ms' },
    ...{ shape: 'bars', logarithmic: true },
    labels: subjects.map(({ system, load }) => `${system.name}: ${load.name}`),
    series: (['p50', 'p99'] as const).map((name) => ({
      name,
      values: subjects.map(({ runs }) => median(runs.map(({ latency }) => latency[name]))),
    })),
  };
}

/** Ours keeps up: of the last second of load less than a half is waiting when the last job is offered. */
function barsOf(subjects: readonly Subject[]): Bar[] {
  return subjects
    .filter(({ system }) => system === rowlock)
    .map(({ load, runs }) => ({
      name: `steady_${load.perSecond}_end_backlog`,
      value: Math.max(...runs.map(({ endBacklog }) => endBacklog)),
      op: '<',
      target: load.perSecond / 2,
    }));
}
