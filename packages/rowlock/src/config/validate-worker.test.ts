import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineJob } from '../job/define.js';
import type { WorkerOptions } from './options.js';
import { workerConfig } from './validate-worker.js';

const mail = defineJob('send_mail', { queue: 'mail' }).handle(() => undefined);
const tick = defineJob('tick').handle(() => undefined);
const handlers = [mail, tick];

function refused(options: unknown, field: string, problem: string): void {
  const given = typeof options === 'object' && options !== null ? { handlers, ...options } : options;
  assert.throws(() => workerConfig(given as WorkerOptions), {
    code: 'CONFIG_INVALID',
    field,
    message: `${field} ${problem}`,
  });
}

test('every option of a worker has its documented default', () => {
  assert.deepEqual(workerConfig({ handlers }), {
    handlers,
    queues: new Map([
      ['mail', { concurrency: 10 }],
      ['default', { concurrency: 10 }],
    ]),
    leaseMs: 15_000,
    renewEveryMs: 5_000,
    stopGraceMs: 25_000,
    maxBlockedMs: 120_000,
    poll: { mode: 'doorbell', minMs: 20, maxMs: 1_000, floorEveryMs: 250 },
    prefetch: 4_000,
  });
});

test('options of a worker are kept', () => {
  const queues = { mail: { concurrency: 50 }, default: {}, other: {} };
  const poll = { mode: 'poll', min: 1, max: 2, floorEvery: 3 } as const;
  const times = { lease: '30s', renewEvery: '1s', stopGrace: 0, maxBlocked: '1m' } as const;
  const config = workerConfig({ handlers, queues, poll, prefetch: 1, ...times });
  assert.deepEqual([...config.queues.entries()].flat(), [
    ...['mail', { concurrency: 50 }],
    ...['default', { concurrency: 10 }],
    ...['other', { concurrency: 10 }],
  ]);
  assert.deepEqual(config.poll, { mode: 'poll', minMs: 1, maxMs: 2, floorEveryMs: 3 });
  assert.deepEqual(
    [config.leaseMs, config.renewEveryMs, config.stopGraceMs, config.maxBlockedMs],
    [30_000, 1_000, 0, 60_000],
  );
  assert.equal(workerConfig({ handlers, lease: 10_000 }).renewEveryMs, 3_333);
});

test('options of a worker that cannot work are refused with field, value and remedy', () => {
  refused(
    undefined,
    'options',
    'must be an object (got undefined): its options are handlers, queues, lease, renewEvery, stopGrace, maxBlocked, poll, prefetch',
  );
  refused(
    { concurency: 5 },
    'concurency',
    'is not an option: known are handlers, queues, lease, renewEvery, stopGrace, maxBlocked, poll, prefetch',
  );
  refused({ leese: 5 }, 'leese', "is not an option: did you mean 'lease'?");
  refused({ prefetch: 0 }, 'prefetch', 'must be a whole number from 1 to 10000 (got 0)');
  refused({ lease: 999 }, 'lease', "must be from '1s' to '1h' (got 999)");
  refused({ lease: '2h' }, 'lease', `must be from '1s' to '1h' (got "2h")`);
  const third = 'must be at most a third of lease, 5000 ms (got "6s"): raise lease or lower it';
  refused({ renewEvery: '6s' }, 'renewEvery', third);
  refused({ queues: {} }, 'queues', 'must name a queue, like { mail: { concurrency: 10 } } (got an object)');
  refused({ queues: { mail: 5 } }, 'queues.mail', 'must be an object like { concurrency: 10 } (got 5)');
  refused({ queues: { '': {} } }, 'queues', 'must not be empty');
  refused(
    { queues: { mail: { concurrency: 0 } } },
    'queues.mail.concurrency',
    'must be a whole number from 1 to 100000 (got 0)',
  );
  refused(
    { queues: { mail: { concurency: 1 } } },
    'queues.mail.concurency',
    "is not an option: did you mean 'concurrency'?",
  );
  refused({ poll: 'poll' }, 'poll', `must be an object like { mode: 'poll' } (got "poll")`);
  refused({ poll: { mode: 'push' } }, 'poll.mode', `must be one of 'doorbell', 'poll' (got "push")`);
  refused({ poll: { min: '2s' } }, 'poll.min', 'must not exceed poll.max, 1000 ms (got 2000 ms)');
  assert.throws(() => workerConfig({ handlers, stopGrace: -1 }), { field: 'stopGrace' });
  assert.throws(() => workerConfig({ handlers, maxBlocked: 0 }), { field: 'maxBlocked' });
});

test('handlers are made by handle, one per kind', () => {
  refused({ handlers: undefined }, 'handlers', 'must be an array of definition.handle(fn) (got undefined)');
  refused({ handlers: [] }, 'handlers', 'must be an array of definition.handle(fn) (got an empty array)');
  refused(
    { handlers: [mail, () => 1] },
    'handlers[1]',
    'is not made by definition.handle(fn) (got a function)',
  );
  refused({ handlers: [null] }, 'handlers[0]', 'is not made by definition.handle(fn) (got null)');
  assert.throws(() => workerConfig({ handlers: [mail, tick, mail] }), {
    code: 'DUPLICATE_HANDLER',
    message: "handlers[2] is a second handler of kind 'send_mail': keep one",
  });
});

test('a handler whose queue is not served is refused', () => {
  assert.throws(() => workerConfig({ handlers, queues: { default: {}, slow: {} } }), {
    code: 'QUEUE_NOT_SERVED',
    message:
      "kind 'send_mail' lives in queue 'mail', and this worker serves only 'default', 'slow': add it to queues",
  });
});
