import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineJob } from './define.js';
import { jobOptionNames, placementOf } from './placement.js';
import type { JobOptions } from './request.js';

const job = defineJob('mail', { queue: 'mail', priority: 3 });

test('a job is placed as its kind says', () => {
  const placement = { queue: 'mail', priority: 3, runAtUs: null, delayMs: null, policy: null };
  assert.deepEqual(placementOf(job.with()), placement);
});

test('a job may have a place, a time and a policy of its own', () => {
  const options: JobOptions = {
    queue: 'slow',
    priority: 9,
    runAt: '2026-03-01T09:00:00Z',
    maxAttempts: 1,
    timeout: '1h',
  };
  assert.deepEqual(placementOf(job.with(undefined, options)), {
    queue: 'slow',
    priority: 9,
    runAtUs: Date.UTC(2026, 2, 1, 9) * 1_000,
    delayMs: null,
    policy: { maxAttempts: 1, timeoutMs: 3_600_000 },
  });
  assert.equal(placementOf(job.with(undefined, { delay: '5m' })).delayMs, 300_000);
  assert.deepEqual(jobOptionNames, ['runAt', 'delay', 'priority', 'queue', 'maxAttempts', 'timeout']);
});

test('options of a job that cannot work are refused with their name', () => {
  const cases: [JobOptions, string][] = [
    [{ runAt: new Date(0), delay: 5 }, 'runAt and delay exclude each other: give one of them'],
    [{ priority: -1 }, 'priority must be a whole number from 0 to 9 (got -1)'],
    [{ queue: '' }, 'queue must not be empty'],
    [{ maxAttempts: 1.5 }, 'maxAttempts must be a whole number from 1 to 10000 (got 1.5)'],
  ];
  for (const [options, message] of cases) {
    assert.throws(() => placementOf(job.with(undefined, options)), { code: 'CONFIG_INVALID', message });
  }
  for (const field of ['delay', 'timeout'] as const) {
    assert.throws(() => placementOf(job.with(undefined, { [field]: -1 })), { code: 'CONFIG_INVALID', field });
  }
});
