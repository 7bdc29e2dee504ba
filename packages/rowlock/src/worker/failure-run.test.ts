import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FailureRun } from './failure-run.js';

test('three failures, each sent after the one before, are a long run; a success ends it', () => {
  const run = new FailureRun();
  run.failed(0, 10);
  run.failed(10, 20);
  assert.equal(run.isLong, false);
  run.failed(25, 30);
  assert.equal(run.isLong, true);
  run.end();
  assert.equal(run.isLong, false);
});

test('what was under way together fails together, and counts once', () => {
  const run = new FailureRun();
  for (let n = 0; n < 5; n += 1) run.failed(n, 10 + n);
  assert.equal(run.isLong, false);
});
