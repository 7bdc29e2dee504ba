import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { defineJob } from '../job/define.js';
import { NonRetryableError } from '../job/errors.js';
import { cancel, discard, retry, snooze } from '../job/outcome.js';
import { type } from '../job/witness.js';
import { deferred } from '../runtime/deferred.js';
import { Scene } from '../testing/scene.js';
import { until } from '../testing/until.js';

const work = defineJob('work', { args: type<{ how: string }>(), maxAttempts: 1 });

let scene: Scene;
before(async () => (scene = await Scene.open()));
after(() => scene.close());
beforeEach(() => scene.clear());

test('health tells each state of a worker in words', async () => {
  const worker = scene.client().worker({ handlers: [work.handle(() => undefined)] });
  const look = (): unknown[] => {
    const { ok, reasons, state } = worker.health();
    return [state, ok, reasons];
  };
  assert.deepEqual(look(), ['new', false, ['the worker is new']]);
  const started = worker.start();
  assert.deepEqual(look(), ['starting', false, ['the worker is starting']]);
  await started;
  assert.deepEqual(look(), ['running', true, []]);
  const stopped = worker.stop();
  assert.deepEqual(look(), ['stopping', false, ['the worker is stopping']]);
  await stopped;
  assert.deepEqual(look(), ['stopped', false, ['the worker is stopped']]);
});

test('health counts what runs, waits and is done', async () => {
  const goOn = deferred();
  const handlers = [
    work.handle(async ({ args }) => {
      if (args.how === 'wait') await goOn.promise;
      if (args.how === 'fail') throw new Error('no');
      return args.how === 'snooze' ? snooze('1h') : undefined;
    }),
  ];
  await scene.working({ handlers }, async ({ rowlock, worker, diary }) => {
    const before = worker.health();
    assert.match(before.workerId ?? '', /^\d+$/);
    assert.deepEqual(
      [before.lease, before.running, before.waiting, before.unsettled, before.overdue],
      ['thread', 0, 0, 0, 0],
    );
    await rowlock.enqueueMany(['wait', 'wait', 'fail', 'snooze', 'end'].map((how) => work.with({ how })));
    await until(() => diary.settled.length === 3);
    assert.equal(worker.health().running, 2);
    const { started, settled, failed, leaseLost, outcomeUnknown } = worker.health().counters;
    assert.deepEqual([started, settled, failed, leaseLost, outcomeUnknown], [5, 3, 1, 0, 0]);
    goOn.resolve();
    await until(() => worker.health().counters.settled === 5);
    assert.deepEqual([worker.health().running, worker.health().unsettled], [0, 0]);
    await until(() => worker.health().listening);
  });
});

test('failed counts the attempts that ended with an error, and no outcome that a handler asked for', async () => {
  const hows: Record<string, () => unknown> = {
    throw: () => Promise.reject(new Error('no')),
    giveUp: () => Promise.reject(new NonRetryableError('no')),
    unstorable: () => ({ big: 1n }),
    snooze: () => snooze('1h'),
    retry: () => retry({ in: '1h' }),
    cancel: () => cancel('not wanted'),
    discard: () => discard('no use'),
    end: () => undefined,
  };
  const any = defineJob('any', { args: type<string>(), output: type<unknown>(), maxAttempts: 1 });
  const late = defineJob('late', { timeout: 100, maxAttempts: 1 });
  const handlers = [
    any.handle(({ args }) => hows[args]?.()),
    late.handle(
      ({ signal }) => new Promise((_, reject) => (signal.onabort = () => reject(signal.reason as Error))),
    ),
  ];
  await scene.working({ handlers }, async ({ rowlock, worker }) => {
    await rowlock.enqueueMany([late.with(), ...Object.keys(hows).map((how) => any.with(how))]);
    await until(() => worker.health().counters.settled === 9);
    assert.deepEqual([worker.health().counters.started, worker.health().counters.failed], [9, 4]);
  });
});

test('claims that fail one after another are no health, and the next one that does not is', async () => {
  await scene.working({ handlers: [work.handle(() => undefined)] }, async ({ rowlock, worker }) => {
    await scene.sql.query('alter table rowlock.job rename claim_no to claim_number');
    await until(() => !worker.health().ok);
    assert.equal(worker.health().reasons[0], 'claims fail, one after another');
    await scene.sql.query('alter table rowlock.job rename claim_number to claim_no');
    await until(() => worker.health().ok);
    const { id } = await rowlock.enqueue(work, { how: 'end' });
    await scene.untilState(id, 'completed');
  });
});

test('a handler that never ends is counted as running after the stop, and nothing as less than nothing', async () => {
  const goOn = deferred();
  const rowlock = scene.client();
  const worker = rowlock.worker({ handlers: [work.handle(() => goOn.promise)], stopGrace: 0 });
  await worker.start();
  await rowlock.enqueue(work, { how: 'wait' });
  await until(() => worker.health().running === 1);
  await worker.stop();
  const { running, waiting, unsettled } = worker.health();
  assert.deepEqual([running, waiting, unsettled], [1, 0, 0]);
  goOn.resolve();
});

test('a listener that throws is logged and changes nothing', async () => {
  await scene.working({ handlers: [work.handle(() => undefined)] }, async ({ rowlock, worker, diary }) => {
    worker.on('settled', () => {
      throw new Error('of the listener');
    });
    const off = worker.on('started', () => assert.fail('was removed'));
    off();
    const { id } = await rowlock.enqueue(work, { how: 'end' });
    await scene.untilState(id, 'completed');
    await until(() => diary.settled.length === 1);
    assert.deepEqual(scene.messages('error'), ['a listener of a worker event threw']);
    assert.equal(worker.health().ok, true);
  });
});
