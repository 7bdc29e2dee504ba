import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LaneReport } from './report.js';
import { disturbances, reportAsMarkdown, reportAsText } from './report.js';

const flush = { count: 300, p50: 0.1, p95: 0.2, p99: 0.3, max: 1 };
const report: LaneReport = {
  lane: 'drain',
  command: 'npm run bench -- drain',
  began: '2026-01-02 03:04 UTC',
  quick: false,
  rounds: 3,
  machine: { cpu: 'CPU', cores: 2, memoryGiB: 24, system: 'linux', load: 0.1 },
  versions: { rowlock: '1', commit: 'abc', postgresql: '18', node: 'v20', pg: '8', pgbench: '15' },
  settings: { fsync: 'on' },
  flush: { before: flush, after: flush },
  notes: ['a note'],
  tables: [{ columns: ['system', 'jobs/s'], rows: [['rowlock', '100']] }],
  bars: [{ name: 'drain', value: 1, op: '>=', target: 0.7 }],
  plots: [],
  measurements: [],
};

test('text ends with the bars', () => {
  const lines = reportAsText(report).split('\n');
  assert.equal(lines.at(-1), 'bar drain 1 >= 0.7 ok');
  assert.ok(lines.includes('fsync on'));
  assert.ok(lines.includes('rowlock     100'));
});

test('markdown names the command and has the table', () => {
  const text = reportAsMarkdown(report);
  assert.match(text, /^# Lane drain\n\n`npm run bench -- drain`\n/);
  assert.ok(text.includes('| rowlock | 100 |'));
  assert.ok(!text.includes('DISTURBED'));
});

test('a disturbed machine is named', () => {
  const slow = { before: flush, after: { ...flush, p50: 0.3 } };
  assert.deepEqual(disturbances({ ...report, flush: slow }), ['flush times changed']);
  const busy = { ...report.machine, load: 1.5 };
  assert.deepEqual(disturbances({ ...report, machine: busy }), ['the machine was busy before']);
  assert.match(reportAsText({ ...report, machine: busy }), /DISTURBED/);
});
