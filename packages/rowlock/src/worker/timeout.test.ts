import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { fixed } from '../job/backoff.js';
import { defineJob } from '../job/define.js';
import { deferred } from '../runtime/deferred.js';
import { Scene } from '../testing/scene.js';
import { until } from '../testing/until.js';

const work = defineJob('work', { timeout: 100, backoff: fixed({ delay: '1h' }) });

let scene: Scene;
before(async () => (scene = await Scene.open()));
after(() => scene.close());
beforeEach(() => scene.clear());

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
}

test('an attempt that runs too long is aborted with TIMEOUT and has failed', async () => {
  await scene.working(
    { handlers: [work.handle(({ signal }) => aborted(signal))] },
    async ({ rowlock, diary }) => {
      const { id } = await rowlock.enqueue(work);
      const job = await scene.untilState(id, 'retryable');
      const [error] = job.errors ?? [];
      assert.deepEqual(
        [job.attempt, error?.code, error?.message],
        [1, 'TIMEOUT', 'the attempt ran longer than 100 ms'],
      );
      await until(() => diary.settled[0]?.outcome === 'failed');
    },
  );
});

test('a job may have a time limit of its own', async () => {
  const patient = defineJob('patient');
  await scene.working(
    { handlers: [patient.handle(({ signal }) => aborted(signal))] },
    async ({ rowlock }) => {
      const { id } = await rowlock.enqueue(patient, undefined, { timeout: 50 });
      const job = await scene.untilState(id, 'retryable');
      assert.equal(job.errors?.[0]?.message, 'the attempt ran longer than 50 ms');
    },
  );
});

test('a handler that ignores its timeout keeps its slot and its job; health says so when all slots are held so', async () => {
  const goOn = deferred();
  const queues = { default: { concurrency: 1 } };
  await scene.working(
    { handlers: [work.handle(() => goOn.promise)], queues },
    async ({ rowlock, worker, diary }) => {
      const { id } = await rowlock.enqueue(work);
      await until(() => worker.health().overdue === 1);
      assert.match(
        worker.health().reasons.join(),
        /every slot of queue 'default' is held by a handler that ignores its timeout/,
      );
      assert.equal((await scene.job(id)).state, 'running');
      goOn.resolve();
      await until(() => diary.settled.length === 1);
      assert.deepEqual([(await scene.job(id)).state, worker.health().ok], ['completed', true]);
    },
  );
});
