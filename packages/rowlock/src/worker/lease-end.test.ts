import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionError } from '../job/errors.js';
import { claimDuty, endWorker, pass, settleAndClaim, settleFacts } from '../sql/generated/statements.gen.js';
import { turns } from '../testing/hand-clock.js';
import { answerOf, claimOf } from '../testing/scripted-claims.js';
import { WorkerStage } from '../testing/worker-stage.js';

test('a worker whose lease has run out tells its handlers, claims nothing, and says so', async () => {
  const stage = new WorkerStage();
  await stage.start();
  await stage.give(claimOf());
  assert.equal(stage.diary.started.length, 1);
  stage.keeper.leaseEnds = stage.clock.now() + 1000;
  await stage.clock.advance(900);
  assert.deepEqual([stage.reasons, stage.worker.health().ok], [[], true]);
  await stage.clock.advance(300);
  assert.deepEqual(stage.reasons, ['LEASE_LOST']);
  assert.deepEqual(stage.worker.health().reasons, ['the lease could not be renewed in time']);
  await stage.give(claimOf());
  assert.equal(stage.offered, 1);
});

test('it claims again once the lease is renewed', async () => {
  const stage = new WorkerStage();
  await stage.start();
  stage.keeper.leaseEnds = stage.clock.now() - 1;
  await stage.clock.advance(100);
  await stage.give(claimOf());
  assert.equal(stage.offered, 1);
  stage.keeper.leaseEnds = Infinity;
  await stage.clock.advance(500);
  assert.deepEqual([stage.offered, stage.diary.started.length, stage.worker.health().ok], [0, 1, true]);
});

test('a claim that is answered after the lease ran out is given back before it begins', async () => {
  const stage = new WorkerStage();
  await stage.start();
  const late = claimOf();
  stage.database.never(settleAndClaim);
  await stage.clock.advance(500);
  stage.keeper.leaseEnds = stage.clock.now();
  await stage.clock.advance(300);
  await stage.database.take(settleAndClaim).answer(answerOf({ clock: 1, startedAt: 1 }, [late]));
  const { params } = stage.database.take(settleFacts);
  assert.deepEqual([params.ids, params.facts], [[late.id], ['{"outcome":"release"}']]);
  assert.equal(stage.diary.started.length, 0);
});

test('a stop ends though the database stays away: ten seconds for what is not stored, and no timer is left', async () => {
  const stage = new WorkerStage();
  await stage.start();
  await stage.give(claimOf());
  const away = (): never => {
    throw new ConnectionError('away');
  };
  stage.database.always(settleAndClaim, away);
  stage.database.always(pass, away);
  stage.database.always(claimDuty, away);
  stage.database.always(endWorker, away);
  stage.goOn.resolve();
  await turns();
  let stopped = false;
  void stage.worker.stop().then(() => (stopped = true));
  await stage.clock.advance(9000);
  assert.equal(stopped, false);
  await stage.clock.advance(2000);
  assert.equal(stopped, true);
  const sent = stage.database.names.length;
  await stage.clock.advance(60_000);
  assert.deepEqual([stage.clock.pending, stage.database.names.length - sent], [0, 0]);
});
