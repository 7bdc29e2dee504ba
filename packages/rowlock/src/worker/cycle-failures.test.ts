import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionError, OutcomeUnknownError } from '../job/errors.js';
import { settleAndClaim } from '../sql/generated/statements.gen.js';
import { CycleStage, ids } from '../testing/cycle-stage.js';
import { answerOf, claimOf } from '../testing/scripted-claims.js';
import { serverError } from '../testing/scripted-database.js';

test('a statement that surely did not happen for want of a connection is sent again, in the old order', async () => {
  const stage = new CycleStage();
  await stage.complete('1', '2');
  await stage.take().fail(new ConnectionError('database is away'));
  await stage.complete('3');
  assert.deepEqual(stage.told, ['error database is away']);
  assert.equal(stage.database.waiting(settleAndClaim), 0);
  await stage.clock.advance(2000);
  assert.deepEqual(stage.take().params.ids, ['1', '2', '3']);
  assert.equal(stage.slots.asked, 10);
});

test('failures are followed by growing pauses, which an answer ends', async () => {
  const stage = new CycleStage();
  for (let failures = 0; failures < 12; failures += 1) {
    await stage.complete(String(failures));
    await stage.clock.advance(1000);
    await stage.take().fail(new ConnectionError('away'));
  }
  await stage.clock.advance(450);
  assert.equal(stage.database.waiting(settleAndClaim), 0);
  await stage.clock.advance(550);
  await stage.take().answer(answerOf());
  await stage.complete('99');
  assert.deepEqual(stage.take().params.ids, ['99']);
});

test('a statement that was cut off leaves doubt: its settles are looked up, its worker id ends', async () => {
  const stage = new CycleStage();
  await stage.complete('1', '2');
  await stage.take().fail(new OutcomeUnknownError('cut off'));
  assert.deepEqual(stage.told, ['doubtful 1 2', 'unknown claim of 7', 'error cut off']);
  await stage.clock.advance(2000);
  assert.deepEqual(stage.take().params.ids, []);
});

test('a claim that failed may have been too much at once: the next one asks for one job', async () => {
  for (const error of [new OutcomeUnknownError('cut off'), serverError('XX000')]) {
    const stage = new CycleStage();
    await stage.stir();
    await stage.take().fail(error);
    await stage.clock.advance(2000);
    const again = stage.take();
    assert.deepEqual(again.params.slots, [1]);
    await again.answer(answerOf({}, [claimOf()]));
    await stage.stir();
    assert.deepEqual(stage.take().params.slots, [4]);
  }
});

test('claims that are cut off or refused one after another are told; one that is answered ends that', async () => {
  for (const error of [new OutcomeUnknownError('cut off'), serverError('XX000'), serverError('55P03')]) {
    const stage = new CycleStage();
    await stage.stir();
    for (let failures = 1; failures <= 3; failures += 1) {
      assert.equal(stage.cycle.claimsFail, false);
      await stage.take().fail(error);
      await stage.clock.advance(2000);
    }
    assert.equal(stage.cycle.claimsFail, true);
    await stage.take().answer(answerOf());
    assert.equal(stage.cycle.claimsFail, false);
  }
});

test('a claim that gets no lock in time asks for as many again', async () => {
  const stage = new CycleStage();
  await stage.stir();
  await stage.take().fail(serverError('55P03'));
  await stage.clock.advance(2000);
  assert.deepEqual(stage.take().params.slots, [10]);
});

test('what fails for want of a connection, or for what it settles, says nothing against claims', async () => {
  const stage = new CycleStage();
  const errors = [new ConnectionError('away'), serverError('55P03'), serverError('22P02')];
  for (const error of [...errors, ...errors, ...errors]) {
    stage.slots.wake();
    await stage.complete('1');
    await stage.take().fail(error);
    await stage.clock.advance(2000);
  }
  assert.equal(stage.cycle.claimsFail, false);
});

test('a settle that claimed nothing ends no worker id when it is cut off', async () => {
  const stage = new CycleStage();
  stage.workerId = null;
  await stage.complete('1');
  const { params, fail } = stage.take();
  assert.deepEqual([params.workerId, params.queues], ['0', []]);
  await fail(new OutcomeUnknownError('cut off'));
  assert.deepEqual(stage.told, ['doubtful 1', 'error cut off']);
});

test('a statement that did not get a lock in time is sent again once; the next time its jobs are settled row by row', async () => {
  const stage = new CycleStage();
  for (const id of ['1', '2']) {
    await stage.complete(id);
    stage.told.length = 0;
    await stage.take().fail(serverError('55P03'));
    await stage.clock.advance(2000);
    assert.deepEqual(stage.told, ['error refused with 55P03']);
    const again = stage.take();
    assert.deepEqual(again.params.ids, [id]);
    if (id === '1') await again.answer(answerOf());
    else await again.fail(serverError('55P03'));
    stage.slots.wake();
  }
  assert.deepEqual(stage.told.slice(1), ['missed 2', 'error refused with 55P03']);
});

test('a claim that succeeds meanwhile does not have a locked batch sent a third time', async () => {
  const stage = new CycleStage({ concurrency: 120, prefetch: 60 });
  await stage.stir();
  const claim = stage.take();
  stage.take();
  await stage.complete(...ids(1, 500));
  await stage.take().fail(serverError('55P03'));
  await claim.answer(answerOf());
  await stage.clock.advance(2000);
  await stage.take().fail(serverError('55P03'));
  assert.ok(stage.told.some((line) => line.startsWith('missed 1 2 ')));
});

test('a statement that the server refused is settled row by row elsewhere', async () => {
  const stage = new CycleStage();
  await stage.complete('1', '2');
  await stage.take().fail(serverError('22P02'));
  assert.deepEqual(stage.told, ['missed 1 2', 'error refused with 22P02']);
});

test('a worker id that is dead is reported, and without one nothing is claimed', async () => {
  const stage = new CycleStage();
  await stage.stir();
  await stage.take().answer(answerOf({ mayClaim: false }));
  assert.deepEqual(stage.told, ['dead 7', 'idle']);
  stage.workerId = null;
  stage.slots.wake();
  await stage.stir();
  assert.equal(stage.database.waiting(settleAndClaim), 0);
});
test('after stop nothing is sent any more, not even what failed before', async () => {
  const stage = new CycleStage();
  await stage.complete('1');
  const call = stage.take();
  stage.cycle.stop();
  await call.fail(new ConnectionError('away'));
  await stage.clock.advance(10_000);
  assert.equal(stage.database.waiting(settleAndClaim), 0);
  assert.equal(stage.clock.pending, 0);
});
