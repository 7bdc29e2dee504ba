import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NewJob } from './batch.js';
import { paramsOf } from './batch.js';

const plain: NewJob = {
  kind: 'mail',
  args: '{}',
  queue: 'default',
  priority: 5,
  runAtUs: null,
  delayMs: null,
  policy: null,
};

test('what all jobs have in common is sent once, what none has not at all', () => {
  assert.deepEqual(paramsOf([plain, { ...plain, args: '{"n":2}' }], true), {
    queues: ['default'],
    kinds: ['mail'],
    priorities: [5],
    runAts: [],
    delays: [],
    policies: [],
    args: ['{}', '{"n":2}'],
    wake: true,
  });
});

test('what differs is sent for each, in order', () => {
  const other = { queue: 'bulk', kind: 'resize', priority: 0, runAtUs: 1_764_500_000_000_001, delayMs: null };
  const params = paramsOf(
    [plain, { ...plain, ...other, policy: { maxAttempts: 3 } }, { ...plain, delayMs: 1500 }],
    false,
  );
  assert.deepEqual(params, {
    queues: ['default', 'bulk', 'default'],
    kinds: ['mail', 'resize', 'mail'],
    priorities: [5, 0, 5],
    runAts: [null, 1_764_500_000_000_001, null],
    delays: [null, null, '1500'],
    policies: [null, '{"maxAttempts":3}', null],
    args: ['{}', '{}', '{}'],
    wake: false,
  });
});

test('priority 0 is a priority', () => {
  assert.deepEqual(paramsOf([{ ...plain, priority: 0 }], true).priorities, [0]);
});

test('a delay of 0 ms and a run time of 1970 are sent', () => {
  const params = paramsOf(
    [
      { ...plain, delayMs: 0 },
      { ...plain, runAtUs: 0 },
    ],
    true,
  );
  assert.deepEqual(
    [params.delays, params.runAts],
    [
      ['0', null],
      [null, 0],
    ],
  );
});
