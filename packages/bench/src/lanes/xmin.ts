import type { Bar } from '../report/bars.js';
import type { Plot } from '../report/plot.js';
import { median } from '../report/statistics.js';
import { rowlock } from '../systems/rowlock.js';
import type { Holder } from './hold.js';
import type { LaneContext, LaneResult } from './lane.js';
import { mustBeRight } from './lane.js';
import type { Course, Hold } from './xmin-run.js';
import { measureHold, rows } from './xmin-run.js';
import { summaryTable, windowTable } from './xmin-tables.js';

const maxRatio = 1.5;

export async function xminLane(context: LaneContext): Promise<LaneResult> {
  const { server, against, rounds, seconds, perSecond, holders, log } = context;
  const course = courseOf(seconds);
  const holds: Hold[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (const system of [rowlock, ...against.filter(({ store }) => store === 'postgres')]) {
      for (const holder of holders) {
        if (holder === 'enqueuer' && !system.joinsTransactions) continue;
        const plan = { system, holder, perSecond, course };
        const hold = await server.withDatabase((database) => measureHold(database, plan));
        if (system === rowlock) mustBeRight(hold.problems);
        holds.push(hold);
        log(
          `round ${round}/${rounds}  ${system.name}  held by ${holder}  end p99 ${hold.end.p99.toFixed(2)} ms`,
        );
      }
    }
  }
  return {
    notes: notesOf(context, { course, holds }),
    tables: [summaryTable(holds), ...windowTables({ holds, rounds, course })],
    bars: barsOf(
      holds.filter(({ system }) => system === rowlock.name),
      perSecond,
    ),
    plots: plotsOf(holds, { rounds, course }),
    measurements: holds,
  };
}

function notesOf(
  { against, seconds, perSecond }: LaneContext,
  { course, holds }: { course: Course; holds: readonly Hold[] },
): string[] {
  const [tail, after] = [course.tail, course.after].map((windows) => (windows * course.ms) / 1000);
  return [
    `${perSecond.toLocaleString('en-US')} jobs/s in bulks of ${rows}, from one process to a worker in another; a snapshot is held for ${seconds} s, then let go for ${after} s. Ms from the call of enqueueMany to the start of the handler.`,
    'A reader: an idle REPEATABLE READ transaction that has read; a writer: one that has also written, so it holds an xid; an enqueuer: one that has stored a job; readers in turn: three that overlap. Dead tuples of all tables as the server counts them; bytes of the whole database.',
    `"end" is the last ${tail} s of the hold, "after" the last half of the time after it. There is no ceiling: held is compared with unheld.`,
    ...[rowlock, ...against].map((system) => `${system.name} was given: ${system.given('load')}.`),
    ...holds.flatMap(({ system, holder, problems }) =>
      problems.map((problem) => `${system}, held by ${holder}: ${problem}.`),
    ),
  ];
}

/** Windows of ten seconds where there are many, else ten of them; and half as long afterwards, a minute at most. */
function courseOf(seconds: number): Course {
  return seconds >= 120
    ? { ms: 10_000, held: Math.floor(seconds / 10), after: 6, tail: 6 }
    : { ms: seconds * 100, held: 10, after: 5, tail: 5 };
}

/** The last round, window by window. */
function plotsOf(holds: readonly Hold[], { rounds, course }: { rounds: number; course: Course }): Plot[] {
  const last = holds.slice(holds.length - holds.length / rounds);
  const plot = { shape: 'lines', along: 's', logarithmic: true } as const;
  const labels = Array.from({ length: course.held + course.after }, (_, i) => ((i + 1) * course.ms) / 1000);
  const seriesOf = (value: (hold: Hold, window: number) => number | undefined): Plot['series'] =>
    last.map((hold) => ({
      name: hold.holder === 'nobody' ? hold.system : `${hold.system}, held by ${hold.holder}`,
      values: labels.map((_, window) => value(hold, window) ?? NaN),
    }));
  const p99 = seriesOf(({ latency }, window) => latency.windows[window]?.p99);
  const bytes = seriesOf(({ windows }, window) => (windows[window]?.bytes ?? NaN) / 2 ** 20);
  return [
    {
      ...plot,
      labels,
      name: 'p99',
      title: 'From enqueue to the start of the handler, p99',
      unit: 'ms',
      series: p99,
    },
    { ...plot, labels, name: 'size', title: 'Size of the database', unit: 'MB', series: bytes },
  ];
}

function windowTables({
  holds,
  rounds,
  course,
}: {
  holds: readonly Hold[];
  rounds: number;
  course: Course;
}): ReturnType<typeof windowTable>[] {
  const last = holds.slice(holds.length - holds.length / rounds);
  const systems = [...new Set(last.map(({ system }) => system))];
  return systems.map((name) =>
    windowTable(
      last.filter(({ system }) => system === name),
      course.ms,
    ),
  );
}

function barsOf(ours: readonly Hold[], perSecond: number): Bar[] {
  const by = (holder: Holder): Hold[] => ours.filter((hold) => hold.holder === holder);
  const ratio = (holder: Holder, p99: (hold: Hold) => number): number =>
    median(by(holder).map(p99)) / median(by('nobody').map(p99));
  const held = [...new Set(ours.map(({ holder }) => holder))].filter((holder) => holder !== 'nobody');
  return held.flatMap((holder): Bar[] => {
    const name = `xmin_${holder.replaceAll(' ', '_')}`;
    const endBacklog = Math.max(...by(holder).map((hold) => hold.endBacklog));
    const bars: Bar[] = [{ name: `${name}_end_backlog`, value: endBacklog, op: '<', target: perSecond }];
    if (by('nobody').length === 0) return bars;
    return [
      ...bars,
      {
        name: `${name}_end_p99_of_unheld`,
        value: ratio(holder, ({ end }) => end.p99),
        op: '<=',
        target: maxRatio,
      },
      {
        name: `${name}_after_p99_of_unheld`,
        value: ratio(holder, ({ recovered }) => recovered.p99),
        op: '<=',
        target: maxRatio,
      },
    ];
  });
}
