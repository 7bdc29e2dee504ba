import type { BenchDatabase } from '../host/bench-server.js';
import { compareWithFresh } from '../host/relations.js';
import type { Relation } from '../host/relations.js';
import type { Bar } from '../report/bars.js';
import type { Table } from '../report/table.js';
import { number } from '../report/table.js';
import { rowlock } from '../systems/rowlock.js';
import type { System } from '../systems/system.js';
import type { LaneContext, LaneResult } from './lane.js';
import { mustBeRight } from './lane.js';
import type { Offer, Offered } from './offered.js';
import { measureOffer, unwindowed } from './offered.js';

const perSecond = 25_000;
const rows = 500;
/** Jobs that wait for tomorrow all the while: the table is nearly empty, not empty. */
const standing = 10_000;
const aDayMs = 24 * 3600 * 1000;
const inFlight = 16;

const maxRatio = 3;
/** What is smaller than this many bytes is not compared: a few pages are many times one. */
const tooSmall = 1_000_000;

interface Run {
  readonly system: System;
  readonly offered: Offered<void>;
  readonly relations: readonly Relation[];
}

/** Many jobs through a table that is nearly empty all the while: what is left of them in the files. */
export async function churnLane(context: LaneContext): Promise<LaneResult> {
  const jobs = context.quick ? 400_000 : 10_000_000;
  const runs: Run[] = [];
  for (let round = 1; round <= context.rounds; round += 1) {
    for (const system of [rowlock, ...context.against.filter(({ store }) => store === 'postgres')]) {
      const run = await context.server.withDatabase((database) => measure(database, { system, jobs }));
      runs.push(run);
      context.log(
        `round ${round}/${context.rounds}  ${system.name}  at most ${number(Math.max(...run.relations.map(ratio).filter(Number.isFinite)))} of a fresh copy`,
      );
    }
  }
  return {
    notes: [
      `${jobs.toLocaleString('en-US')} jobs offered at ${perSecond.toLocaleString('en-US')}/s in bulks of ${rows} (a slow peer: fewer at a lower rate, both by the same factor), worked off as they come, while ${standing.toLocaleString('en-US')} jobs wait for tomorrow.`,
      `Then every relation is compared with what vacuum full makes of it; where both are under ${megabytes(tooSmall)} MB it is left out.`,
      ...runs.flatMap(({ system, offered }) =>
        offered.problems.map((problem) => `${system.name}: ${problem}.`),
      ),
    ],
    tables: [tableOf(runs)],
    bars: barsOf(runs),
    plots: [],
    measurements: runs.map(({ system, ...run }) => ({ system: system.name, ...run })),
  };
}

async function measure(
  database: BenchDatabase,
  { system, jobs }: { system: System; jobs: number },
): Promise<Run> {
  await system.prepare(database.url, 'load');
  await store(database, system);
  const seconds = jobs / perSecond;
  const offer: Offer = {
    ...{ system, purpose: 'load', rows, seconds, everyMs: (1000 * rows) / (perSecond * system.share) },
    ...{ delayMs: 0, pollOnly: false, failFirst: false, windows: unwindowed, standing },
  };
  const offered = await measureOffer(database, offer, () => Promise.resolve());
  if (system === rowlock) mustBeRight(offered.problems);
  return { system, offered, relations: await compareWithFresh(database.client) };
}

async function store({ url }: BenchDatabase, system: System): Promise<void> {
  const producer = await system.producer(url, { keep: system.keeps[0], purpose: 'load' });
  for (let stored = 0; stored < standing; stored += inFlight)
    await Promise.all(
      Array.from({ length: Math.min(inFlight, standing - stored) }, () => producer.one({}, aDayMs)),
    );
  await producer.close();
}

function tableOf(runs: readonly Run[]): Table {
  return {
    columns: ['system', 'relation', 'MB', 'MB of a fresh copy', 'ratio'],
    rows: runs.flatMap(({ system, relations }) =>
      relations
        .filter((relation) => Number.isFinite(ratio(relation)))
        .map((relation) => [
          ...[system.name, relation.name, megabytes(relation.bytes), megabytes(relation.freshBytes)],
          number(ratio(relation)),
        ]),
    ),
  };
}

function barsOf(runs: readonly Run[]): Bar[] {
  const ratios = runs
    .filter(({ system }) => system === rowlock)
    .flatMap(({ relations }) => relations.map(ratio));
  return [
    {
      name: 'churn_relation_of_fresh',
      value: Math.max(...ratios.filter(Number.isFinite)),
      op: '<=',
      target: maxRatio,
    },
  ];
}

/** NaN where both are small. */
function ratio({ bytes, freshBytes }: Relation): number {
  return Math.max(bytes, freshBytes) < tooSmall ? NaN : bytes / Math.max(freshBytes, tooSmall / maxRatio);
}

function megabytes(bytes: number): string {
  return number(bytes / 2 ** 20);
}
