import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claimNamed, settleAndClaim } from '../sql/generated/statements.gen.js';
import { CycleStage, ids } from '../testing/cycle-stage.js';
import { turns } from '../testing/hand-clock.js';
import { answerOf, claimOf } from '../testing/scripted-claims.js';

test('an idle process claims as many jobs as it has slots, from its heads, parked kinds included', async () => {
  const stage = new CycleStage();
  await stage.stir();
  const { params } = stage.take();
  assert.equal(params.workerId, '7');
  assert.deepEqual([params.queues, params.slots, params.ids], [['default'], [10], []]);
  assert.deepEqual([params.parkedQueues, params.parkedKinds], [['default'], ['rare']]);
  assert.deepEqual(
    params.headRunAts,
    Array.from({ length: 10 }, () => 0),
  );
  assert.equal(stage.database.waiting(settleAndClaim), 0);
});

test('the sessions of a burst are opened by statements that settle and claim nothing', async () => {
  const stage = new CycleStage();
  const warm = stage.cycle.warmUp();
  for (let n = 0; n < 3; n += 1) {
    const { params, answer } = stage.take();
    assert.deepEqual([params.workerId, params.queues, params.ids], ['0', [], []]);
    await answer(answerOf());
  }
  for (let n = 0; n < 3; n += 1) {
    const { params, answer } = stage.database.take(claimNamed);
    assert.deepEqual([params.workerId, params.queue, params.id], ['0', '', '0']);
    await answer([]);
  }
  await warm;
  assert.equal(stage.database.waiting(settleAndClaim), 0);
});

test('what was claimed is handed on, moves the head of its lane, and the queue is asked for more', async () => {
  const stage = new CycleStage();
  await stage.stir();
  const claims = ids(1, 10).map((id) => claimOf({ id, runAt: 500 }));
  await stage.take().answer(answerOf({}, claims));
  assert.deepEqual(stage.claimed, claims);
  assert.equal(stage.slots.asked, 0);
  assert.equal(stage.slots.eager, true);
  assert.deepEqual(stage.lanes.startsOf([0]).ids[5], '10');
});

test('the next claim is on its way before the jobs of the last one begin', async () => {
  const stage = new CycleStage();
  await stage.stir();
  stage.slots.running = 100;
  await stage.clock.advance(10);
  for (let n = 0; n < 100; n += 1) stage.slots.finish(0);
  const claims = ids(1, 10).map((id) => claimOf({ id }));
  await stage.take().answer(answerOf({}, claims));
  assert.equal(stage.underWayAtClaims, 2);
  assert.equal(stage.claimed.length, 10);
});

test('parked jobs do not move the head: they lie in lanes of their own', async () => {
  const stage = new CycleStage();
  await stage.stir();
  await stage.take().answer(answerOf({}, [claimOf({ id: '3', parked: true })]));
  assert.equal(stage.lanes.startsOf([0]).ids[5], '0');
});

test('a claim that comes back short is the last one until something is heard', async () => {
  const stage = new CycleStage();
  await stage.stir();
  await stage.take().answer(answerOf({}, [claimOf()]));
  assert.deepEqual(stage.told, ['idle']);
  await stage.stir();
  assert.equal(stage.database.waiting(settleAndClaim), 0);
  stage.slots.wake();
  await stage.stir();
  assert.deepEqual(stage.take().params.slots, [9]);
});

test('a ring heard while a claim is under way is followed by another claim', async () => {
  const stage = new CycleStage();
  await stage.stir();
  const call = stage.take();
  stage.slots.wake();
  await stage.stir();
  await call.answer(answerOf());
  assert.deepEqual(stage.told, []);
  await stage.take().answer(answerOf());
  assert.deepEqual(stage.told, ['idle']);
});

test('what is done goes at once when nothing is under way, and shares one statement with the next claim', async () => {
  const stage = new CycleStage();
  await stage.complete('1', '2', '3');
  const { params, answer } = stage.take();
  assert.deepEqual(params.ids, ['1', '2', '3']);
  assert.deepEqual(
    [params.tids, params.claimNos, params.outputs],
    [['(1,1)', '(2,1)', '(3,1)'], [1, 1, 1], null],
  );
  assert.deepEqual(params.slots, [10]);
  await answer(answerOf({ missed: ['2:1'] }));
  assert.deepEqual(stage.told.slice(0, 3), ['settled 1', 'settled 3', 'missed 2']);
});

test('outputs are sent only where there is one', async () => {
  const stage = new CycleStage();
  stage.cycle.complete({ claim: claimOf({ id: '1' }), output: '{"n":1}' });
  stage.cycle.complete({ claim: claimOf({ id: '2' }), output: null });
  await turns();
  assert.equal(stage.take().params.outputs, '{"1:1":{"n":1}}');
});

test('while a statement is under way, what is done waits for company, but five milliseconds at most', async () => {
  const stage = new CycleStage();
  await stage.complete('1');
  const first = stage.take();
  await stage.complete('2', '3');
  assert.equal(stage.database.waiting(settleAndClaim), 0);
  await stage.clock.advance(5);
  assert.deepEqual(stage.take().params.ids, ['2', '3']);
  await first.answer(answerOf());
});

test('a few settles go along with a claim; many go in a statement of their own, beside it', async () => {
  const stage = new CycleStage();
  await stage.complete(...ids(1, 50));
  const fused = stage.take();
  assert.deepEqual([fused.params.ids.length, fused.params.slots], [50, [10]]);
  await fused.answer(answerOf());
  stage.slots.wake();
  await stage.complete(...ids(100, 51));
  assert.deepEqual([stage.take().params.ids, stage.cycle.underWay], [[], 1]);
  assert.equal(stage.database.waiting(settleAndClaim), 0);
  await stage.clock.advance(5);
  const settles = stage.take().params;
  assert.deepEqual([settles.ids.length, settles.queues, settles.workerId], [51, [], '0']);
});

test('a full batch of settles does not wait; a second one goes where one claim or none is under way, a third never', async () => {
  const stage = new CycleStage({ concurrency: 120, prefetch: 60 });
  await stage.stir();
  const claim = stage.take();
  stage.take();
  await stage.complete(...ids(1000, 500));
  assert.equal(stage.take().params.ids.length, 500);
  await stage.complete(...ids(2000, 600));
  await stage.clock.advance(100);
  assert.equal(stage.database.waiting(settleAndClaim), 0);
  await claim.answer(answerOf());
  assert.equal(stage.take().params.ids.length, 600);
  await stage.complete(...ids(3000, 700));
  await stage.clock.advance(100);
  assert.equal(stage.database.waiting(settleAndClaim), 0);
  assert.equal(stage.cycle.underWay, 3);
});

test('claims wait while eight thousand jobs are done and not sent: a crash would run them again', async () => {
  const stage = new CycleStage();
  await stage.stir();
  const claim = stage.take();
  await stage.complete(...ids(1, 500));
  await stage.complete(...ids(1000, 500));
  const first = stage.take();
  stage.take();
  await stage.complete(...ids(2000, 8000));
  await claim.answer(answerOf({}, [claimOf({ id: '9' })]));
  stage.slots.wake();
  await stage.stir();
  assert.equal(stage.database.waiting(settleAndClaim), 0);
  await first.answer(answerOf());
  assert.deepEqual([stage.take().params.ids.length, stage.take().params.slots], [4000, [9]]);
});

test('a second claim follows while the first is under way if there is room for many jobs, a third never', async () => {
  const stage = new CycleStage({ concurrency: 200, prefetch: 60 });
  await stage.stir();
  assert.deepEqual(stage.take().params.slots, [60]);
  assert.deepEqual(stage.take().params.slots, [60]);
  await stage.stir();
  assert.equal(stage.database.waiting(settleAndClaim), 0);
});

test('beside other workers one claim at a time is under way, and then a second batch of settles beside none', async () => {
  const stage = new CycleStage({ concurrency: 200, prefetch: 60 });
  stage.hasPeers = true;
  await stage.stir();
  const claim = stage.take();
  assert.equal(stage.database.waiting(settleAndClaim), 0);
  await stage.complete(...ids(1, 500));
  const settles = stage.take();
  await stage.complete(...ids(1000, 500));
  assert.equal(stage.database.waiting(settleAndClaim), 0);
  stage.workerId = null;
  await claim.answer(answerOf());
  assert.equal(stage.take().params.ids.length, 500);
  await settles.answer(answerOf());
});

test('a statement settles four thousand jobs at most', async () => {
  const stage = new CycleStage();
  stage.workerId = null;
  await stage.complete(...ids(1, 4500));
  assert.equal(stage.take().params.ids.length, 4000);
});
