import type { BenchDatabase } from '../host/bench-server.js';
import type { Bar } from '../report/bars.js';
import type { Plot } from '../report/plot.js';
import { median, pairedRatios } from '../report/statistics.js';
import type { Table } from '../report/table.js';
import { number } from '../report/table.js';
import { rowlock } from '../systems/rowlock.js';
import type { Ahead, Claims } from './backlog-run.js';
import { measureClaims, putAhead } from './backlog-run.js';
import type { LaneContext, LaneResult } from './lane.js';

const maxRatio = 1.5;

/** Jobs that every measurement claims. */
const claimed = 100_000;

interface Subject {
  readonly ahead: Ahead;
  readonly rows: number;
  readonly runs: Claims[];
}

/** What a claim costs when much else lies in the table, against an empty one. */
export async function backlogLane(context: LaneContext): Promise<LaneResult> {
  const million = context.quick ? 50_000 : 1_000_000;
  const subjects: readonly Subject[] = [
    { ahead: 'nothing', rows: 0, runs: [] },
    { ahead: 'ready', rows: 10 * million, runs: [] },
    { ahead: 'future', rows: million, runs: [] },
    { ahead: 'paused queue', rows: million, runs: [] },
    { ahead: 'paused kind', rows: million, runs: [] },
    { ahead: 'unserved kind', rows: million, runs: [] },
  ];
  await measureAll(context, subjects);
  return {
    notes: [
      `What lies ahead is stored first, once; then, each round, ${claimed.toLocaleString('en-US')} due jobs behind it (of the ready ones, the next) are worked off by one process with every default.`,
      'Counted by pg_stat_statements: the statements that lock rows and skip locked ones, which are the claims and the passes that prepare them. Buffers are 8 kB pages looked at, in memory or not.',
      `${rowlock.name} was given: ${rowlock.given('throughput')}.`,
    ],
    tables: [tableOf(subjects)],
    bars: barsOf(subjects),
    plots: [plotOf(subjects)],
    measurements: subjects,
  };
}

/** Every database is made once and stays for all rounds. */
async function measureAll({ server, rounds, log }: LaneContext, subjects: readonly Subject[]): Promise<void> {
  const prepared = new Map<Subject, BenchDatabase>();
  const withNext = async ([subject, ...rest]: readonly Subject[]): Promise<void> => {
    if (subject === undefined) return measureRounds(prepared, { rounds, log });
    await server.withDatabase(async (database) => {
      log(`${subject.rows.toLocaleString('en-US')} jobs ahead: ${subject.ahead}`);
      await putAhead(database, subject);
      prepared.set(subject, database);
      await withNext(rest);
    });
  };
  await withNext(subjects);
}

async function measureRounds(
  prepared: ReadonlyMap<Subject, BenchDatabase>,
  { rounds, log }: Pick<LaneContext, 'rounds' | 'log'>,
): Promise<void> {
  for (let round = 1; round <= rounds; round += 1) {
    for (const [{ ahead, runs }, database] of prepared) {
      const run = await measureClaims(database, ahead, claimed);
      runs.push(run);
      log(`round ${round}/${rounds}  ahead: ${ahead}  ${number(msPerJob(run) * 1000)} ms for 1,000 jobs`);
    }
  }
}

function tableOf(subjects: readonly Subject[]): Table {
  const [empty] = subjects;
  const of = (runs: readonly Claims[], value: (run: Claims) => number): string =>
    number(median(runs.map(value)));
  return {
    columns: [
      ...['ahead', 'rows', 'claims', 'jobs a claim', 'ms a claim', 'buffers a claim'],
      ...['ms for 1,000 jobs', 'of empty', 'buffers for 1,000 jobs', 'of empty'],
    ],
    rows: subjects.map(({ ahead, rows, runs }) => [
      ...[ahead, rows.toLocaleString('en-US')],
      of(runs, ({ calls }) => calls),
      of(runs, ({ jobs, calls }) => jobs / calls),
      of(runs, ({ ms, calls }) => ms / calls),
      of(runs, ({ buffers, calls }) => buffers / calls),
      of(runs, (run) => msPerJob(run) * 1000),
      number(ofEmpty(runs, empty, msPerJob)),
      of(runs, (run) => buffersPerJob(run) * 1000),
      number(ofEmpty(runs, empty, buffersPerJob)),
    ]),
  };
}

function plotOf(subjects: readonly Subject[]): Plot {
  return {
    ...{ name: 'claims', title: 'Server time to claim 1,000 jobs', unit: 'ms', shape: 'bars' },
    labels: subjects.map(({ ahead, rows }) => `${rows.toLocaleString('en-US')} ahead: ${ahead}`),
    series: [{ name: 'ms', values: subjects.map(({ runs }) => median(runs.map(msPerJob)) * 1000) }],
  };
}

function barsOf([empty, ...others]: readonly Subject[]): Bar[] {
  return others.flatMap(({ ahead, runs }): Bar[] => {
    const name = `backlog_${ahead.replaceAll(' ', '_')}`;
    return [
      { name: `${name}_ms_of_empty`, value: ofEmpty(runs, empty, msPerJob), op: '<=', target: maxRatio },
      {
        name: `${name}_buffers_of_empty`,
        value: ofEmpty(runs, empty, buffersPerJob),
        op: '<=',
        target: maxRatio,
      },
    ];
  });
}

function ofEmpty(
  runs: readonly Claims[],
  empty: Subject | undefined,
  value: (run: Claims) => number,
): number {
  return median(pairedRatios(runs.map(value), (empty?.runs ?? []).map(value)));
}

// By job, not by claim: how many a claim takes depends on when the worker asks.
function msPerJob({ ms, jobs }: Claims): number {
  return ms / jobs;
}

function buffersPerJob({ buffers, jobs }: Claims): number {
  return buffers / jobs;
}
