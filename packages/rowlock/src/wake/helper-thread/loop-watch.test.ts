import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LoopWatch } from './loop-watch.js';

test('a loop is blocked once it has not moved for longer than allowed, and no longer when it moves', () => {
  const watch = new LoopWatch(1000, 5n, 100);
  watch.observe(5n, 1100);
  assert.equal(watch.isBlocked(1100), false);
  watch.observe(5n, 1101);
  assert.equal(watch.isBlocked(1101), true);
  assert.equal(watch.stillFor(1101), 1001);
  watch.observe(6n, 1200);
  assert.equal(watch.isBlocked(1200), false);
});
