import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OutcomeUnknownError } from '../job/errors.js';
import {
  endWorker,
  registerWorker,
  settleAndClaim,
  settleFacts,
  takeOverClaims,
} from '../sql/generated/statements.gen.js';
import { answerOf, claimOf } from '../testing/scripted-claims.js';
import { WorkerStage } from '../testing/worker-stage.js';

/** A worker with two claims under way. */
async function claiming(): Promise<WorkerStage> {
  const stage = new WorkerStage({ queues: { default: { concurrency: 120 } }, prefetch: 60 });
  await stage.start();
  for (const statement of [registerWorker, takeOverClaims, endWorker, settleAndClaim])
    stage.database.never(statement);
  await stage.clock.advance(500);
  assert.equal(stage.database.waiting(settleAndClaim), 2);
  return stage;
}

const answer = { clock: 1, startedAt: 1 };

test('one of two claims is cut off: what the other brings begins, and is taken along before the old id is dead', async () => {
  const stage = await claiming();
  await stage.database.take(settleAndClaim).fail(new OutcomeUnknownError('cut off'));
  assert.equal(stage.database.waiting(registerWorker), 0);
  const late = claimOf();
  await stage.database.take(settleAndClaim).answer(answerOf(answer, [late]));
  assert.deepEqual(
    stage.diary.started.map(({ id }) => id),
    [late.id],
  );
  await stage.database.take(registerWorker).answer([{ workerId: '8' }]);
  const takeOver = stage.database.take(takeOverClaims);
  assert.deepEqual(takeOver.params, { ids: [late.id], claimNos: [1], fromWorkerId: '7', toWorkerId: '8' });
  assert.equal(stage.database.waiting(endWorker), 0);
  await takeOver.answer([]);
  assert.deepEqual(stage.database.take(endWorker).params, { workerId: '7', swept: false, unstarted: true });
});

test('a worker that is lost takes along what runs at once, and gives back what a claim under way brings', async () => {
  const stage = await claiming();
  const running = claimOf();
  await stage.database.take(settleAndClaim).answer(answerOf(answer, [running]));
  stage.keeper.tell((listener) => listener.dead?.('7'));
  await stage.clock.advance(0);
  await stage.database.take(registerWorker).answer([{ workerId: '8' }]);
  assert.deepEqual(stage.database.take(takeOverClaims).params.ids, [running.id]);
  const late = claimOf();
  await stage.database.take(settleAndClaim).answer(answerOf(answer, [late]));
  assert.deepEqual(
    stage.diary.started.map(({ id }) => id),
    [running.id],
  );
  const { params } = stage.database.take(settleFacts);
  assert.deepEqual([params.ids, params.facts], [[late.id], ['{"outcome":"release"}']]);
});
