import { number } from '../report/table.js';
import type { Table } from '../report/table.js';
import type { Hold, WindowState } from './hold.js';

export function summaryTable(holds: readonly Hold[]): Table {
  return {
    columns: [
      ...['held by', 'jobs', 'end backlog', 'p50 ms', 'p99 ms', 'max ms', 'end p50 ms', 'end p99 ms'],
      ...['server CPU µs/job', 'WAL B/job', 'dead tuples', 'MB'],
    ],
    rows: holds.map(({ holder, offered, endBacklog, latency: { all, tail }, windows, cost }) => [
      ...[holder, offered.toLocaleString('en-US'), String(endBacklog)],
      ...[all.p50, all.p99, all.max, tail.p50, tail.p99].map(number),
      ...[number(cost.cpuUs / offered), number(cost.walBytes / offered)],
      ...[(windows.at(-1)?.deadTuples ?? NaN).toLocaleString('en-US'), megabytes(windows.at(-1))],
    ]),
  };
}

/** One row a window; what each holder did to it side by side. */
export function windowTable(holds: readonly Hold[], windowMs: number): Table {
  const names = holds.flatMap(({ holder }) => [`p99 ms, ${holder}`, `backlog`, `dead tuples`, 'MB']);
  const count = Math.max(...holds.map(({ latency }) => latency.windows.length));
  return {
    columns: ['until s', ...names],
    rows: Array.from({ length: count }, (_, i) => [
      number(((i + 1) * windowMs) / 1000),
      ...holds.flatMap(({ latency, windows }) => [
        number(latency.windows[i]?.p99 ?? NaN),
        (windows[i]?.backlog ?? NaN).toLocaleString('en-US').replace('NaN', '-'),
        (windows[i]?.deadTuples ?? NaN).toLocaleString('en-US').replace('NaN', '-'),
        megabytes(windows[i]),
      ]),
    ]),
  };
}

function megabytes(state: WindowState | undefined): string {
  return number((state?.bytes ?? NaN) / 2 ** 20);
}
