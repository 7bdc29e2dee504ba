import { ceilingName, checkCeiling, prepareCeiling, startCeiling } from '../ceiling/ceiling.js';
import type { BenchDatabase, Cost } from '../host/bench-server.js';
import { withChildren } from '../processes/start-child.js';
import type { OfferTask, ReceiveTask } from '../processes/task.js';
import type { Summary } from '../report/statistics.js';
import { median, pairedRatios, spread, summarize } from '../report/statistics.js';
import type { Table } from '../report/table.js';
import { number, percent } from '../report/table.js';
import { rowlock } from '../systems/rowlock.js';
import { retryDelayMs } from '../systems/system.js';
import type { LaneContext, LaneResult } from './lane.js';
import { mustBeRight } from './lane.js';
import { untilCount } from './until-count.js';

const perSecond = 100;
const delayMs = 200;
const targetMs = 1.5;

interface Kind {
  readonly name: string;
  readonly pollOnly: boolean;
  readonly delayMs: number;
  readonly failFirst: boolean;
}

const immediate: Kind = { name: 'immediate', pollOnly: false, delayMs: 0, failFirst: false };
const kinds: readonly Kind[] = [
  immediate,
  { name: `delayed ${delayMs} ms`, pollOnly: false, delayMs, failFirst: false },
  { name: `retried after ${retryDelayMs} ms`, pollOnly: false, delayMs: retryDelayMs, failFirst: true },
  { name: 'immediate, poll-only', pollOnly: true, delayMs: 0, failFirst: false },
  { name: `delayed ${delayMs} ms, poll-only`, pollOnly: true, delayMs, failFirst: false },
];

interface Run {
  readonly latency: Summary;
  readonly cost: Cost;
  readonly seconds: number;
}

export async function latencyLane(context: LaneContext): Promise<LaneResult> {
  const seconds = context.quick ? 2 : 10;
  const floor: Run[] = [];
  const runs = new Map<Kind, Run[]>(kinds.map((kind) => [kind, []]));
  for (let round = 1; round <= context.rounds; round += 1) {
    floor.push(
      await context.server.withDatabase((database) => measureCeiling(database, { ...context, seconds })),
    );
    for (const [kind, done] of runs) {
      const run = await context.server.withDatabase((database) =>
        measureKind(database, kind, { ...context, seconds }),
      );
      done.push(run);
      context.log(`round ${round}/${context.rounds}  ${kind.name}  p50 ${number(run.latency.p50)} ms`);
    }
  }
  return {
    notes: [
      `${perSecond} jobs/s for ${seconds} s, evenly, from one process to a worker in another with every default; ms from the call of enqueue to the start of the handler.`,
      'Delayed and retried jobs: ms from when they were due, which is the call (or the throw of the first attempt) plus the delay.',
      `${ceilingName}: the same row writes alone: a commit that stores the job and a commit that claims it, by pgbench at the same rate; nobody has to be woken.`,
    ],
    tables: [tableOf(floor, runs)],
    bars: [
      {
        name: 'latency_immediate_p50_ms',
        value: median(p50s(runs.get(immediate) ?? [])),
        op: '<=',
        target: targetMs,
      },
    ],
    measurements: {
      ceiling: floor,
      [rowlock.name]: [...runs].map(([kind, done]) => ({ ...kind, runs: done })),
    },
  };
}

function tableOf(floor: readonly Run[], runs: ReadonlyMap<Kind, readonly Run[]>): Table {
  const rows = [...runs].map(([kind, done]) => {
    const ratio = kind.delayMs === 0 ? number(median(pairedRatios(p50s(done), p50s(floor)))) : '-';
    return [rowlock.name, kind.name, ...cellsOf(done), ratio];
  });
  return {
    columns: ['system', 'jobs', 'p50 ms', 'spread', 'p99 ms', 'max ms', 'server CPU', 'p50 of ceiling'],
    rows: [[ceilingName, 'stored and claimed', ...cellsOf(floor), '-'], ...rows],
  };
}

function cellsOf(runs: readonly Run[]): string[] {
  return [
    number(median(p50s(runs))),
    percent(spread(p50s(runs))),
    number(median(runs.map(({ latency }) => latency.p99))),
    number(median(runs.map(({ latency }) => latency.max))),
    percent(median(runs.map(({ cost, seconds }) => cost.cpuUs / (seconds * 1_000_000)))),
  ];
}

function p50s(runs: readonly Run[]): number[] {
  return runs.map(({ latency }) => latency.p50);
}

type Place = Pick<LaneContext, 'server'> & { readonly seconds: number };

async function measureCeiling(database: BenchDatabase, { server, seconds }: Place): Promise<Run> {
  await prepareCeiling(database);
  const jobs = perSecond * seconds;
  const stop = await server.meter();
  const times = await startCeiling(database, jobs, perSecond);
  const cost = await stop();
  mustBeRight(await checkCeiling(database, { live: 1, finished: jobs - 1 }));
  return { latency: summarize(times), cost, seconds };
}

async function measureKind(database: BenchDatabase, kind: Kind, { server, seconds }: Place): Promise<Run> {
  const place = { system: rowlock.name, url: database.url };
  const { failFirst, pollOnly } = kind;
  const receive: ReceiveTask = {
    ...{ do: 'receive', ...place, pollOnly, failFirst, delayMs: kind.delayMs },
    windows: { count: 0, ms: 1000, tail: 0 },
  };
  const storedDelay = kind.delayMs > 0 && !failFirst ? kind.delayMs : null;
  const offer: OfferTask = {
    do: 'offer',
    ...place,
    everyMs: 1000 / perSecond,
    rows: 1,
    seconds,
    delayMs: storedDelay,
  };
  await rowlock.prepare(database.url);
  return withChildren([receive], ([receiver]) =>
    withChildren([offer], async ([offerer]) => {
      if (receiver === undefined || offerer === undefined) throw new TypeError('no children');
      receiver.go();
      const stop = await server.meter();
      offerer.go();
      const { offered } = await offerer.ended();
      await untilCount(receiver, offered);
      const cost = await stop();
      const { all } = await receiver.stop();
      const attempts = failFirst ? 2 : 1;
      mustBeRight(await rowlock.check(database.client, { live: 0, finished: offered, attempts }));
      return { latency: all, cost, seconds };
    }),
  );
}
