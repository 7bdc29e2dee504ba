import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionError } from '../job/errors.js';
import { deferred } from '../runtime/deferred.js';
import { defineKinds, endWorker, registerWorker, takeOverClaims } from '../sql/generated/statements.gen.js';
import { turns } from '../testing/hand-clock.js';
import { IncarnationStage, mail } from '../testing/incarnation-stage.js';
import { claimOf } from '../testing/scripted-claims.js';

const nothingHeld = { swept: true, unstarted: true };

test('a worker defines its kinds, registers, and has an id from then on', async () => {
  const stage = new IncarnationStage();
  let defined: unknown;
  stage.database.always(defineKinds, (params) => {
    defined = params;
    return [];
  });
  const begun = stage.incarnation.begin();
  await turns();
  assert.equal(stage.incarnation.workerId, null);
  const { params, answer } = stage.database.take(registerWorker);
  assert.deepEqual(
    [params.leaseMs, params.pid, params.queues, params.kinds],
    [15_000, process.pid, ['post'], ['mail']],
  );
  const sentAt = stage.clock.now();
  await stage.clock.advance(500);
  await answer([{ workerId: '7' }]);
  await begun;
  assert.deepEqual(defined, {
    names: ['mail'],
    queues: ['post'],
    priorities: [2],
    policies: [JSON.stringify(mail.policy)],
    keeps: ['short'],
    keepArgs: [false],
  });
  assert.equal(stage.incarnation.workerId, '7');
  // The lease counts from when it was asked for.
  assert.deepEqual([stage.keeper.told, stage.registered], [[`start 7 at ${String(sentAt)}`], ['7']]);
});

test('registration is tried for ever', async () => {
  const stage = new IncarnationStage();
  const begun = stage.incarnation.begin();
  for (let failures = 0; failures < 20; failures += 1) {
    await turns();
    await stage.database.take(registerWorker).fail(new ConnectionError('away'));
    await stage.clock.advance(5000);
  }
  await stage.register('7');
  await begun;
  assert.deepEqual([stage.errors.length, stage.registered], [20, ['7']]);
});

test('an ended id is followed by another, which takes along what this process holds, and only then is the old one dead', async () => {
  const stage = new IncarnationStage();
  await stage.begin('7');
  stage.held.push(claimOf({ id: '31', claimNo: 2 }), claimOf({ id: '32', claimNo: 5 }));
  stage.incarnation.end('7', 'unknown claim');
  assert.equal(stage.incarnation.workerId, null);
  await stage.register('8');
  assert.equal(stage.database.waiting(endWorker), 0);
  const takeOver = stage.database.take(takeOverClaims);
  const fences = { ids: ['31', '32'], claimNos: [2, 5] };
  assert.deepEqual(takeOver.params, { ...fences, fromWorkerId: '7', toWorkerId: '8' });
  await takeOver.answer([]);
  const end = stage.database.take(endWorker);
  // Not swept: an unknown claim may have left jobs with it.
  assert.deepEqual(end.params, { workerId: '7', swept: false, unstarted: true });
  assert.equal(stage.incarnation.workerId, null);
  await end.answer([]);
  assert.equal(stage.incarnation.workerId, '8');
  assert.match(stage.keeper.told.at(-1) ?? '', /^adopt 8 /);
  assert.deepEqual(stage.registered, ['7', '8']);
});

test('claims under way are waited for and taken along: until then they are kept, and the lease goes on', async () => {
  const stage = new IncarnationStage();
  await stage.begin('7');
  stage.claimsAnswered = deferred();
  stage.incarnation.end('7', 'unknown claim');
  await stage.clock.advance(20_000);
  // No other id yet, whose lease nobody would renew.
  assert.equal(stage.database.waiting(registerWorker), 0);
  assert.deepEqual(stage.keeper.told.length, 1);
  assert.deepEqual([stage.incarnation.workerId, stage.incarnation.keeps('7')], [null, true]);
  stage.held.push(claimOf({ id: '33' }));
  stage.claimsAnswered.resolve();
  await stage.register('8');
  assert.deepEqual(stage.database.take(takeOverClaims).params.ids, ['33']);
});

test('a worker id that is lost waits for nothing, and what it claimed is not kept: others may have it', async () => {
  for (const before of [[], ['unknown claim']] as const) {
    const stage = new IncarnationStage();
    await stage.begin('7');
    stage.claimsAnswered = deferred();
    for (const cause of before) stage.incarnation.end('7', cause);
    stage.incarnation.end('7', 'lost');
    await stage.register('8');
    assert.equal(stage.incarnation.keeps('7'), false);
    await stage.database.take(takeOverClaims).answer([]);
    const { params, answer } = stage.database.take(endWorker);
    assert.deepEqual(params, { workerId: '7', swept: false, unstarted: true });
    await answer([]);
    assert.deepEqual([stage.incarnation.keeps('7'), stage.incarnation.keeps('8')], [false, true]);
    assert.equal(stage.incarnation.keeps(null), false);
  }
});

test('another server ends the present id; in the middle of a succession, what follows is registered there', async () => {
  const stage = new IncarnationStage();
  await stage.begin('7');
  stage.incarnation.anotherServer();
  await stage.register('8');
  const onTheOther = stage.database.take(takeOverClaims);
  stage.incarnation.anotherServer();
  await onTheOther.fail(new ConnectionError('away'));
  await stage.clock.advance(5000);
  await stage.register('9');
  for (const from of ['7', '8']) {
    const { params, answer } = stage.database.take(takeOverClaims);
    assert.deepEqual([params.fromWorkerId, params.toWorkerId], [from, '9']);
    await answer([]);
    const mark = stage.database.take(endWorker);
    assert.equal(mark.params.workerId, from);
    await mark.answer([]);
  }
  assert.equal(stage.incarnation.workerId, '9');
});

test('a succession that takes half a lease registers anew: nobody renews what it had registered', async () => {
  const stage = new IncarnationStage();
  await stage.begin('7');
  stage.incarnation.end('7', 'lost');
  await stage.register('8');
  stage.clock.block(8000);
  await stage.database.take(takeOverClaims).fail(new ConnectionError('away'));
  await stage.clock.advance(5000);
  const sentAt = stage.clock.now();
  await stage.register('9');
  for (let ids = 0; ids < 2; ids += 1) {
    await stage.database.take(takeOverClaims).answer([]);
    await stage.database.take(endWorker).answer([]);
  }
  const adopted = stage.keeper.told.at(-1) ?? '';
  assert.match(adopted, /^adopt 9 at /);
  assert.ok(Number(adopted.split(' at ')[1]) > sentAt - 5000);
});

test('a succession that is cut off is repeated, with what is held by then', async () => {
  const stage = new IncarnationStage();
  await stage.begin('7');
  stage.held.push(claimOf({ id: '31' }), claimOf({ id: '32' }));
  stage.incarnation.end('7', 'unknown claim');
  await stage.register('8');
  await stage.database.take(takeOverClaims).fail(new ConnectionError('away'));
  stage.held.shift();
  await stage.clock.advance(5000);
  const { params, answer } = stage.database.take(takeOverClaims);
  assert.deepEqual(params.ids, ['32']);
  await answer([]);
  await stage.database.take(endWorker).answer([]);
  assert.equal(stage.incarnation.workerId, '8');
});

test('an id that is not the present one any more is not ended again', async () => {
  const stage = new IncarnationStage();
  await stage.begin('7');
  stage.incarnation.end('6', 'lost');
  assert.equal(stage.incarnation.workerId, '7');
  stage.incarnation.end('7', 'unknown claim');
  stage.incarnation.end('7', 'unknown claim');
  await stage.register('8');
  assert.equal(stage.database.waiting(registerWorker), 0);
});

test('at the end the id is marked dead, with what is known of its claims', async () => {
  for (const signOff of [
    { swept: true, unstarted: true },
    { swept: false, unstarted: true },
    { swept: false, unstarted: false },
  ]) {
    const stage = new IncarnationStage();
    await stage.begin('7');
    const stopped = stage.incarnation.stop(signOff);
    await turns();
    const { params, answer } = stage.database.take(endWorker);
    assert.deepEqual(params, { workerId: '7', ...signOff });
    await answer([]);
    await stopped;
    assert.equal(stage.incarnation.workerId, null);
  }
});

test('a stop in the middle of a succession waits for no claim and marks every id of this process', async () => {
  const waiting = new IncarnationStage();
  await waiting.begin('7');
  waiting.claimsAnswered = deferred();
  waiting.incarnation.end('7', 'unknown claim');
  const stopped = waiting.incarnation.stop(nothingHeld);
  await turns();
  const { params, answer } = waiting.database.take(endWorker);
  assert.deepEqual(params, { workerId: '7', swept: false, unstarted: true });
  await answer([]);
  await stopped;

  const taking = new IncarnationStage();
  await taking.begin('7');
  taking.incarnation.end('7', 'unknown claim');
  await taking.register('8');
  const rejected = assert.rejects(taking.incarnation.stop(nothingHeld), { message: 'away' });
  await taking.database.take(takeOverClaims).fail(new ConnectionError('away'));
  await turns();
  const first = taking.database.take(endWorker);
  const second = taking.database.take(endWorker);
  assert.deepEqual(
    [first.params, second.params],
    ['7', '8'].map((workerId) => ({ workerId, swept: false, unstarted: true })),
  );
  // One that fails leaves the other its mark.
  await first.fail(new ConnectionError('away'));
  await second.answer([]);
  await rejected;
});

test('a stop ends a registration that does not come to pass', async () => {
  const stage = new IncarnationStage();
  const begun = assert.rejects(stage.incarnation.begin());
  await turns();
  const { fail } = stage.database.take(registerWorker);
  const stopped = stage.incarnation.stop(nothingHeld);
  await fail(new ConnectionError('away'));
  await begun;
  await stopped;
  assert.equal(stage.clock.pending, 0);
});

test('a registration that succeeds during the stop is marked dead again', async () => {
  const stage = new IncarnationStage();
  const begun = stage.incarnation.begin();
  await turns();
  const stopped = stage.incarnation.stop(nothingHeld);
  await stage.register('7');
  await begun;
  await stage.database.take(endWorker).answer([]);
  await stopped;
  assert.equal(stage.incarnation.workerId, null);
});
