import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cappedPauses, retryForever } from './retry.js';
import type { Clock } from './clock.js';

/** Fires every timer in the next microtask and notes how long it would have taken. */
function instantClock(): Clock & { readonly waited: number[] } {
  const waited: number[] = [];
  return {
    waited,
    now: () => 0,
    after(ms, action) {
      waited.push(ms);
      queueMicrotask(action);
      return { cancel: () => undefined, unref: () => undefined };
    },
  };
}

test('pauses double up to the cap and never pass it', () => {
  const pauses = cappedPauses({ base: 100, cap: 5000, random: () => 0.999999 });
  const lengths = Array.from({ length: 1000 }, () => Math.round(pauses.next()));
  assert.deepEqual(lengths.slice(0, 8), [100, 200, 400, 800, 1600, 3200, 5000, 5000]);
  assert.equal(Math.max(...lengths), 5000);
  pauses.reset();
  assert.equal(Math.round(pauses.next()), 100);
});

test('a server that is there for a second at a time is met: no pause is longer', () => {
  const pauses = cappedPauses({ random: () => 0.999999 });
  for (let n = 0; n < 20; n += 1) assert.ok(pauses.next() <= 1000);
});

test('a pause is at least half of its ceiling', () => {
  const pauses = cappedPauses({ base: 100, random: () => 0 });
  assert.deepEqual([pauses.next(), pauses.next()], [50, 100]);
});

test('work is repeated until it succeeds, however often it fails', async () => {
  const clock = instantClock();
  const errors: unknown[] = [];
  let calls = 0;
  const result = await retryForever(
    () => (++calls < 200 ? Promise.reject(new Error(`failure ${String(calls)}`)) : Promise.resolve('done')),
    { clock, random: () => 0.5, onError: (error) => errors.push(error) },
  );
  assert.equal(result, 'done');
  assert.equal(errors.length, 199);
  assert.equal(clock.waited.at(-1), 750);
});

test('an abort ends the wait and rejects with its reason', async () => {
  const controller = new AbortController();
  const reason = new Error('stopping');
  const clock: Clock = { now: () => 0, after: () => ({ cancel: () => undefined, unref: () => undefined }) };
  const work = retryForever(() => Promise.reject(new Error('down')), {
    clock,
    signal: controller.signal,
    onError: () => queueMicrotask(() => controller.abort(reason)),
  });
  await assert.rejects(work, reason);
});

test('a failure that cannot pass is thrown at once', async () => {
  const failure = new Error('no such function');
  await assert.rejects(
    retryForever(() => Promise.reject(failure), { clock: instantClock(), mayPass: () => false }),
    failure,
  );
});
