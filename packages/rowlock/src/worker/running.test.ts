import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineJob } from '../job/define.js';
import { ShutdownError } from '../job/errors.js';
import { claimOf } from '../testing/scripted-claims.js';
import { HandClock } from '../testing/hand-clock.js';
import { Attempt } from './attempt.js';
import { Running } from './running.js';

const handler = defineJob('work', { timeout: '10s' }).handle(() => undefined);

/** An attempt that begins now, with a time limit of its own if given. */
function attemptAt(clock: HandClock, timeoutMs?: number): Attempt {
  const policy = timeoutMs === undefined ? null : { timeoutMs };
  return new Attempt(claimOf({ policy }), handler, clock.now());
}

const codeOf = ({ signal }: Attempt): unknown =>
  signal.aborted ? (signal.reason as { code: string }).code : null;

test('each attempt is aborted with TIMEOUT when its own time is up, by one timer for all', async () => {
  const clock = new HandClock();
  const running = new Running(clock);
  const slow = attemptAt(clock);
  const quick = attemptAt(clock, 2000);
  running.add(slow);
  running.add(quick);
  assert.equal(clock.pending, 1);
  await clock.advance(1999);
  assert.deepEqual([codeOf(slow), codeOf(quick)], [null, null]);
  await clock.advance(1);
  assert.deepEqual([codeOf(slow), codeOf(quick)], [null, 'TIMEOUT']);
  assert.equal(clock.pending, 1);
  await clock.advance(8000);
  assert.deepEqual([codeOf(slow), codeOf(quick)], ['TIMEOUT', 'TIMEOUT']);
  assert.equal(clock.pending, 0);
});

test('an attempt that has ended is left alone, and so is one that was aborted for another reason', async () => {
  const clock = new HandClock();
  const running = new Running(clock);
  const ended = attemptAt(clock, 1000);
  const stopped = attemptAt(clock, 1000);
  running.add(ended);
  running.delete(ended);
  running.add(stopped);
  running.abortAll(new ShutdownError());
  await clock.advance(5000);
  assert.deepEqual([codeOf(ended), codeOf(stopped)], [null, 'SHUTDOWN']);
});

test('a time limit longer than the longest timer of Node is kept', async () => {
  const clock = new HandClock();
  const running = new Running(clock);
  const attempt = attemptAt(clock, 400 * 86_400_000);
  running.add(attempt);
  await clock.advance(399 * 86_400_000);
  assert.equal(codeOf(attempt), null);
  await clock.advance(86_400_000);
  assert.equal(codeOf(attempt), 'TIMEOUT');
});

test('an own time limit that is no number leaves the limit of its kind in force, and those of the others', async () => {
  const clock = new HandClock();
  const running = new Running(clock);
  const limits = [{ timeoutMs: 'soon' }, { timeoutMs: null }, { timeoutMs: -1 }, [], 'x', null];
  const hostile = limits.map((policy) => new Attempt(claimOf({ policy }), handler, clock.now()));
  const quick = attemptAt(clock, 2000);
  const later = attemptAt(clock, 5000);
  for (const attempt of [...hostile, quick, later]) running.add(attempt);
  await clock.advance(2000);
  assert.deepEqual([...hostile, quick].map(codeOf), [...limits.map(() => null), 'TIMEOUT']);
  await clock.advance(3000);
  assert.equal(codeOf(later), 'TIMEOUT');
  await clock.advance(5000);
  assert.deepEqual(
    hostile.map(codeOf),
    limits.map(() => 'TIMEOUT'),
  );
});

test('after stop no timer is left', () => {
  const clock = new HandClock();
  const running = new Running(clock);
  running.add(attemptAt(clock));
  running.stop();
  assert.equal(clock.pending, 0);
});
