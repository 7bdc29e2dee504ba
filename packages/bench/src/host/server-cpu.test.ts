import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseStat, sumTicks } from './server-cpu.js';

const stat =
  '4711 (postgres: a) b (c) S 4700 4711 4711 0 -1 4194304 100 0 0 0 31 12 5 2 20 0 1 0 123 456 789';

test('the fields are counted from behind the name', () => {
  assert.deepEqual(parseStat(stat), { pid: 4711, parent: 4700, own: 43, ofEnded: 7 });
});

test('the server is the postmaster, its children, and those that ended', () => {
  const processes = [
    { pid: 1, parent: 0, own: 1000, ofEnded: 1000 },
    { pid: 10, parent: 1, own: 3, ofEnded: 40 },
    { pid: 11, parent: 10, own: 500, ofEnded: 9 },
    { pid: 12, parent: 10, own: 7, ofEnded: 0 },
    { pid: 20, parent: 1, own: 1000, ofEnded: 0 },
  ];
  assert.equal(sumTicks(processes, 10), 3 + 40 + 500 + 7);
});
