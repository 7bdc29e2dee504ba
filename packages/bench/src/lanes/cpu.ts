import { withStore } from '../host/stores.js';
import type { Mark } from '../processes/task.js';
import type { Bar } from '../report/bars.js';
import type { Plot } from '../report/plot.js';
import { median } from '../report/statistics.js';
import type { Table } from '../report/table.js';
import { number } from '../report/table.js';
import { rowlock } from '../systems/rowlock.js';
import type { System } from '../systems/system.js';
import type { Drained } from './drain-run.js';
import { measureSystem } from './drain-run.js';
import type { LaneContext, LaneResult } from './lane.js';

const parts = 10;

/** How much more memory the last three tenths may take than those before them, from the fourth on. */
const maxGrowth = 1.1;

interface Run {
  readonly system: System;
  readonly drained: Drained;
}

/** One process at full drain looks at itself: what it takes of its core, of memory and of the event loop. */
export async function cpuLane(context: LaneContext): Promise<LaneResult> {
  const jobs = context.quick ? 200_000 : 1_000_000;
  const runs: Run[] = [];
  for (let round = 1; round <= context.rounds; round += 1) {
    for (const system of [rowlock, ...context.against]) {
      const drained = await measure(context, { system, jobs: jobs * system.share });
      runs.push({ system, drained });
      const rss = megabytes(drained.marks.at(-1)?.rssBytes ?? NaN);
      context.log(`round ${round}/${context.rounds}  ${system.name}  ${rss} MB in the end`);
    }
  }
  return {
    notes: [
      `${jobs.toLocaleString('en-US')} no-op jobs (a slow peer gets fewer), worked off by one process, which looks at itself after each tenth.`,
      'The delay of the event loop is how late a timer of 5 ms came. Resources are what keeps a process alive, timers aside: sockets, workers.',
      ...[rowlock, ...context.against].map(
        (system) => `${system.name} was given: ${system.given('throughput')}.`,
      ),
    ],
    tables: [summaryTable(runs), marksTable(runs)],
    bars: barsOf(runs.filter(({ system }) => system === rowlock)),
    plots: [plotOf(runs)],
    measurements: runs.map(({ system, drained }) => ({ system: system.name, ...drained })),
  };
}

function measure(
  { server }: LaneContext,
  { system, jobs }: { system: System; jobs: number },
): Promise<Drained> {
  const drain = {
    system,
    jobs,
    processes: 1,
    concurrency: null,
    keep: system.keeps[0],
    markEvery: jobs / parts,
  };
  return withStore(server, system.store, (store) => measureSystem(store, drain));
}

function summaryTable(runs: readonly Run[]): Table {
  return {
    columns: [
      ...['system', 'jobs', 'jobs/s', 'client CPU µs/job', 'server CPU µs/job', 'DB time µs/job'],
      ...['loop delay p50 ms', 'p99 ms', 'max ms', 'RSS MB', 'of the middle', 'resources'],
    ],
    rows: runs.map(({ system, drained }) => {
      const { jobs, seconds, cost, clientCpuUs, marks } = drained;
      const delay = (of: keyof Mark['loopDelayMs']): number[] =>
        marks.map(({ loopDelayMs }) => loopDelayMs[of]);
      return [
        ...[system.name, jobs.toLocaleString('en-US'), number(jobs / seconds)],
        ...[clientCpuUs, cost.cpuUs, cost.dbTimeUs].map((us) => number(us / jobs)),
        ...[number(median(delay('p50'))), number(median(delay('p99'))), number(Math.max(...delay('max')))],
        ...[megabytes(marks.at(-1)?.rssBytes ?? NaN), number(growth(marks)), String(marks.at(-1)?.resources)],
      ];
    }),
  };
}

function marksTable(runs: readonly Run[]): Table {
  return {
    columns: [
      'system',
      'jobs so far',
      'client CPU µs/job',
      'loop delay p99 ms',
      'max ms',
      'RSS MB',
      'resources',
    ],
    rows: runs.flatMap(({ system, drained: { marks } }) =>
      marks.map((mark, i) => {
        const before = marks[i - 1];
        const cpu = before === undefined ? NaN : (mark.cpuUs - before.cpuUs) / (mark.count - before.count);
        return [
          ...[system.name, mark.count.toLocaleString('en-US'), number(cpu)],
          ...[number(mark.loopDelayMs.p99), number(mark.loopDelayMs.max)],
          ...[megabytes(mark.rssBytes), String(mark.resources)],
        ];
      }),
    ),
  };
}

function plotOf(runs: readonly Run[]): Plot {
  return {
    ...{ name: 'memory', title: 'Memory of one process at full drain', unit: 'MB', shape: 'lines' },
    along: '% of the jobs',
    labels: Array.from({ length: parts }, (_, i) => ((i + 1) * 100) / parts),
    series: runs.map(({ system, drained: { marks } }) => ({
      name: system.name,
      values: marks.map(({ rssBytes }) => rssBytes / 2 ** 20),
    })),
  };
}

function barsOf(runs: readonly Run[]): Bar[] {
  const marksOf = runs.map(({ drained: { marks } }) => marks);
  const moreResources = marksOf.map(
    (marks) => (marks.at(-1)?.resources ?? NaN) - (marks[0]?.resources ?? NaN),
  );
  return [
    { name: 'cpu_rss_end_of_middle', value: median(marksOf.map(growth)), op: '<=', target: maxGrowth },
    { name: 'cpu_resources_more_at_end', value: Math.max(...moreResources), op: '<=', target: 0 },
  ];
}

/** Memory in the last three tenths as a share of that in the four before them. */
function growth(marks: readonly Mark[]): number {
  const rss = marks.map(({ rssBytes }) => rssBytes);
  return median(rss.slice(-3)) / median(rss.slice(3, -3));
}

function megabytes(bytes: number): string {
  return number(bytes / 2 ** 20);
}
