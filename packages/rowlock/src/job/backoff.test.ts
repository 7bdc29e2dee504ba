import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Backoff } from './backoff.js';
import { custom, customDelay, exponential, fixed, linear } from './backoff.js';
import type { Duration } from './duration.js';
import { defaultPolicy, defaultPriority, defaultQueue } from './policy.js';

test('the default policy is what the documentation says', () => {
  assert.deepEqual(defaultPolicy, {
    maxAttempts: 10,
    maxCrashes: 5,
    timeoutMs: 900_000,
    backoff: { type: 'exponential', baseMs: 2_000, factor: 2, maxMs: 3_600_000, jitter: 0.2 },
  });
  assert.equal(defaultPriority, 5);
  assert.equal(defaultQueue, 'default');
  assert.deepEqual(exponential().data, defaultPolicy.backoff);
});

test('builders give data in milliseconds', () => {
  assert.deepEqual(exponential({ base: '1s', factor: 3, max: '1m', jitter: 0 }), {
    data: { type: 'exponential', baseMs: 1_000, factor: 3, maxMs: 60_000, jitter: 0 },
  });
  assert.deepEqual(linear(), { data: { type: 'linear', stepMs: 30_000, maxMs: 3_600_000, jitter: 0.2 } });
  assert.deepEqual(linear({ step: 5, max: 50, jitter: 1 }).data, {
    type: 'linear',
    stepMs: 5,
    maxMs: 50,
    jitter: 1,
  });
  assert.deepEqual(fixed(), { data: { type: 'fixed', delayMs: 30_000, jitter: 0.2 } });
  assert.deepEqual(fixed({ delay: '1s', jitter: 0.5 }).data, { type: 'fixed', delayMs: 1_000, jitter: 0.5 });
});

test('a backoff that cannot work is refused', () => {
  const cases: [() => Backoff, string][] = [
    [() => exponential({ factor: 0.5 }), 'backoff.factor must be a number from 1 to 1000 (got 0.5)'],
    [() => exponential({ factor: NaN }), 'backoff.factor must be a number from 1 to 1000 (got NaN)'],
    [() => exponential({ jitter: 1.1 }), 'backoff.jitter must be a number from 0 to 1 (got 1.1)'],
    [() => fixed({ jitter: -0.1 }), 'backoff.jitter must be a number from 0 to 1 (got -0.1)'],
    [
      () => custom(5 as never, { fallback: fixed() }),
      'backoff must be a function of (attempt, error) (got 5)',
    ],
  ];
  for (const [build, message] of cases) assert.throws(build, { code: 'CONFIG_INVALID', message });
  assert.throws(() => linear({ step: -1 }), /^ConfigInvalidError: backoff\.step is negative/);
});

test('a custom backoff needs a fallback to be stored', () => {
  const fail = (options: unknown) => () => custom(() => 1, options as { fallback: Backoff });
  const message = 'backoff.fallback is not a backoff: use exponential(), linear() or fixed()';
  for (const options of [undefined, {}, { fallback: 5 }]) assert.throws(fail(options), { message });
});

test('a custom backoff chooses the delay, its fallback is stored', () => {
  const backoff = custom((attempt) => `${attempt}s`, { fallback: fixed({ delay: '9s' }) });
  assert.deepEqual(backoff.data, { type: 'fixed', delayMs: 9_000, jitter: 0.2 });
  assert.equal(customDelay(backoff, 3, new Error('no')), 3_000);
  assert.equal(customDelay(fixed(), 3, new Error('no')), undefined);
});

test('a custom backoff that breaks leaves the choice to its fallback', () => {
  const broken: (() => unknown)[] = [
    () => NaN,
    () => undefined,
    () => 'soon',
    () => -1,
    () => assert.fail('broken'),
  ];
  for (const delay of broken) {
    assert.equal(customDelay(custom(delay as () => Duration, { fallback: fixed() }), 1, null), undefined);
  }
});

test('options of a backoff that do not exist or are no object are refused', () => {
  const cases: [() => unknown, string][] = [
    [() => fixed(500 as never), 'backoff must be an object (got 500): its options are delay, jitter'],
    [() => linear(null as never), 'backoff must be an object (got null): its options are step, max, jitter'],
    [() => exponential({ bse: '2s' } as never), "backoff.bse is not an option: did you mean 'base'?"],
    [() => linear({ steps: 5 } as never), "backoff.steps is not an option: did you mean 'step'?"],
    [() => fixed({ dely: 5 } as never), "backoff.dely is not an option: did you mean 'delay'?"],
    [
      () => custom(() => 1, { fallbak: fixed() } as never),
      "backoff.fallbak is not an option: did you mean 'fallback'?",
    ],
    [() => custom(() => 1, 5 as never), 'backoff must be an object (got 5): its options are fallback'],
    [() => fixed({ jitter: '0.5' as never }), 'backoff.jitter must be a number from 0 to 1 (got "0.5")'],
    [() => exponential({ factor: '2' as never }), 'backoff.factor must be a number from 1 to 1000 (got "2")'],
  ];
  for (const [build, message] of cases) assert.throws(build, { code: 'CONFIG_INVALID', message });
});
