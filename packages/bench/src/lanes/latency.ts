import { ceilingName, checkCeiling, prepareCeiling, startCeiling } from '../ceiling/ceiling.js';
import type { BenchDatabase } from '../host/bench-server.js';
import type { Cost } from '../host/store.js';
import { withStore } from '../host/stores.js';
import type { Bar } from '../report/bars.js';
import type { Plot } from '../report/plot.js';
import type { Summary } from '../report/statistics.js';
import { median, pairedRatios, spread, summarize } from '../report/statistics.js';
import type { Table } from '../report/table.js';
import { number, percent } from '../report/table.js';
import { rowlock } from '../systems/rowlock.js';
import type { System } from '../systems/system.js';
import { retryDelayMs } from '../systems/system.js';
import type { LaneContext, LaneResult } from './lane.js';
import { mustBeRight } from './lane.js';
import { measureOffer, unwindowed } from './offered.js';

const perSecond = 100;
const delayMs = 200;

interface Kind {
  readonly name: string;
  readonly pollOnly: boolean;
  readonly delayMs: number;
  readonly failFirst: boolean;
}

const immediate: Kind = { name: 'immediate', pollOnly: false, delayMs: 0, failFirst: false };
const delayed: Kind = { name: `delayed ${delayMs} ms`, pollOnly: false, delayMs, failFirst: false };
const retried: Kind = {
  ...{ name: `retried after ${retryDelayMs} ms`, pollOnly: false },
  ...{ delayMs: retryDelayMs, failFirst: true },
};
const kinds: readonly Kind[] = [
  ...[immediate, delayed, retried],
  { ...immediate, name: 'immediate, poll-only', pollOnly: true },
  { ...delayed, name: `${delayed.name}, poll-only`, pollOnly: true },
];

interface Run {
  readonly latency: Summary;
  readonly cost: Cost;
  readonly seconds: number;
}

/** A row of the lane: one system with one kind of job, round after round. */
interface Subject {
  readonly system: string;
  readonly kind: Kind | null;
  readonly measure: () => Promise<Run>;
  readonly runs: Run[];
}

type Quantile = 'p50' | 'p99';

/** How ours is to compare with which peer. */
const targets: readonly { readonly peer: string; readonly quantile: Quantile; readonly target: number }[] = [
  { peer: 'graphile', quantile: 'p50', target: 0.65 },
  { peer: 'graphile', quantile: 'p99', target: 1 },
  { peer: 'bullmq-redis', quantile: 'p50', target: 1.5 },
];

export async function latencyLane(context: LaneContext): Promise<LaneResult> {
  const subjects = subjectsFor(context);
  for (let round = 1; round <= context.rounds; round += 1) {
    for (const { system, kind, measure, runs } of subjects) {
      const run = await measure();
      runs.push(run);
      const what = kind === null ? '' : `  ${kind.name}`;
      context.log(`round ${round}/${context.rounds}  ${system}${what}  p50 ${number(run.latency.p50)} ms`);
    }
  }
  return {
    notes: [
      `${perSecond} jobs/s, evenly, from one process to a worker in another; ms from the call of enqueue to the start of the handler.`,
      'Delayed and retried jobs: ms from when they were due, which is the call (or the throw of the first attempt) plus the delay.',
      `${rowlock.name} was given: ${rowlock.given('latency')}.`,
      ...context.against.map((peer) => `${peer.name} was given: ${peer.given('latency')}.`),
      `${ceilingName}: the same row writes alone: a commit that stores the job and a commit that claims it, by pgbench at the same rate; nobody has to be woken.`,
    ],
    tables: [tableOf(subjects)],
    bars: barsOf(subjects),
    plots: [plotOf(subjects)],
    measurements: subjects.map(({ system, kind, runs }) => ({ system, kind, runs })),
  };
}

function subjectsFor({ server, against, seconds }: LaneContext): Subject[] {
  const subject = (system: System, kind: Kind): Subject => ({
    ...{ system: system.name, kind, runs: [] },
    measure: () =>
      withStore(server, system.store, async (store) => {
        await system.prepare(store.url, 'latency');
        const even = { everyMs: 1000 / perSecond, rows: 1, seconds, windows: unwindowed };
        const offer = { ...kind, ...even, system, purpose: 'latency' } as const;
        const { latency, cost, problems } = await measureOffer(store, offer, () => Promise.resolve());
        mustBeRight(problems);
        return { latency: latency.all, cost, seconds };
      }),
  });
  const ceiling: Subject = {
    ...{ system: ceilingName, kind: null, runs: [] },
    measure: () => server.withDatabase((database) => measureCeiling(database, seconds)),
  };
  return [
    ceiling,
    ...kinds.map((kind) => subject(rowlock, kind)),
    ...against.map((peer) => subject(peer, immediate)),
  ];
}

async function measureCeiling(database: BenchDatabase, seconds: number): Promise<Run> {
  await prepareCeiling(database);
  const jobs = perSecond * seconds;
  const stop = await database.meter();
  const times = await startCeiling(database, jobs, perSecond);
  const cost = await stop();
  mustBeRight(await checkCeiling(database, { live: 1, finished: jobs - 1 }));
  return { latency: summarize(times), cost, seconds };
}

function tableOf(subjects: readonly Subject[]): Table {
  const ceiling = subjects.find(({ kind }) => kind === null);
  const rows = subjects.map(({ system, kind, runs }) => {
    const compares = kind !== null && kind.delayMs === 0 && ceiling !== undefined;
    const ratio = compares ? number(median(pairedRatios(all(runs, 'p50'), all(ceiling.runs, 'p50')))) : '-';
    return [system, kind?.name ?? 'stored and claimed', ...cellsOf(runs), ratio];
  });
  return {
    columns: ['system', 'jobs', 'p50 ms', 'spread', 'p99 ms', 'max ms', 'server CPU', 'p50 of ceiling'],
    rows,
  };
}

function plotOf(subjects: readonly Subject[]): Plot {
  return {
    ...{ name: 'milliseconds', title: 'From enqueue, or from when it is due, to the start of the handler' },
    ...{ unit: 'ms', shape: 'bars' },
    labels: subjects.map(({ system, kind }) => `${system}: ${kind?.name ?? 'stored and claimed'}`),
    series: (['p50', 'p99'] as const).map((name) => ({
      name,
      values: subjects.map(({ runs }) => median(all(runs, name))),
    })),
  };
}

function cellsOf(runs: readonly Run[]): string[] {
  return [
    number(median(all(runs, 'p50'))),
    percent(spread(all(runs, 'p50'))),
    number(median(all(runs, 'p99'))),
    number(median(runs.map(({ latency }) => latency.max))),
    percent(median(runs.map(({ cost, seconds }) => cost.cpuUs / (seconds * 1_000_000)))),
  ];
}

function barsOf(subjects: readonly Subject[]): Bar[] {
  const ours = (kind: Kind): readonly Run[] =>
    subjects.find((each) => each.system === rowlock.name && each.kind === kind)?.runs ?? [];
  const bar = (name: string, value: number, target: number): Bar => {
    return { name: `latency_${name}`, value, op: '<=', target };
  };
  return [
    bar('immediate_p50_ms', median(all(ours(immediate), 'p50')), 1.5),
    bar('delayed_p99_ms', median(all(ours(delayed), 'p99')), 5),
    bar('retried_p99_ms', median(all(ours(retried), 'p99')), 5),
    ...targets.flatMap(({ peer, quantile, target }) => {
      const its = subjects.find(({ system }) => system === peer);
      if (its === undefined) return [];
      const ratio = median(pairedRatios(all(ours(immediate), quantile), all(its.runs, quantile)));
      return [bar(`immediate_${quantile}_of_${peer}`, ratio, target)];
    }),
  ];
}

function all(runs: readonly Run[], quantile: Quantile): number[] {
  return runs.map(({ latency }) => latency[quantile]);
}
