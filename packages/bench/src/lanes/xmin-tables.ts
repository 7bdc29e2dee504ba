import { number } from '../report/table.js';
import type { Table } from '../report/table.js';
import type { Hold, WindowState } from './xmin-run.js';

export function summaryTable(holds: readonly Hold[]): Table {
  return {
    columns: [
      ...[
        'system',
        'held by',
        'jobs',
        'end backlog',
        'p50 ms',
        'p99 ms',
        'max ms',
        'end p50 ms',
        'end p99 ms',
      ],
      ...['after p99 ms', 'server CPU µs/job', 'DB time µs/job', 'WAL B/job', 'dead tuples', 'MB'],
    ],
    rows: holds.map(
      ({ system, holder, offered, endBacklog, latency: { all }, end, recovered, windows, cost }) => [
        ...[system, holder, offered.toLocaleString('en-US'), counted(endBacklog)],
        ...[all.p50, all.p99, all.max, end.p50, end.p99, recovered.p99].map(number),
        ...[cost.cpuUs, cost.dbTimeUs, cost.walBytes].map((total) => number(total / offered)),
        ...[counted(Math.max(...windows.map(({ deadTuples }) => deadTuples))), megabytes(windows.at(-1))],
      ],
    ),
  };
}

/** One row a window; what each holder did to it side by side. */
export function windowTable(holds: readonly Hold[], windowMs: number): Table {
  const names = holds.flatMap(({ holder }) => [`p99 ms, ${holder}`, `backlog`, `dead tuples`, 'MB']);
  const count = Math.max(...holds.map(({ latency }) => latency.windows.length));
  return {
    columns: [`${holds[0]?.system ?? ''}, until s`, ...names],
    rows: Array.from({ length: count }, (_, i) => [
      number(((i + 1) * windowMs) / 1000),
      ...holds.flatMap(({ latency, windows }) => [
        number(latency.windows[i]?.p99 ?? NaN),
        counted(windows[i]?.backlog ?? NaN),
        counted(windows[i]?.deadTuples ?? NaN),
        megabytes(windows[i]),
      ]),
    ]),
  };
}

function counted(count: number): string {
  return count.toLocaleString('en-US').replace('NaN', '-');
}

function megabytes(state: WindowState | undefined): string {
  return number((state?.bytes ?? NaN) / 2 ** 20);
}
