import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import pg from 'pg';
import { fixed } from '../job/backoff.js';
import { defineJob } from '../job/define.js';
import type { HandlerContext } from '../job/handler.js';
import { deferred } from '../runtime/deferred.js';
import { diaryOf, Scene } from '../testing/scene.js';
import { until } from '../testing/until.js';

const work = defineJob('work', { backoff: fixed({ delay: '1h' }) });
const next = defineJob('next');

let scene: Scene;
before(async () => (scene = await Scene.open()));
after(() => scene.close());
beforeEach(() => scene.clear());

interface Stopped {
  readonly id: string;
  readonly reason: unknown;
  readonly took: number;
}

/** Stops a worker with this grace while `run` holds a job. */
async function stopDuring(
  run: (context: HandlerContext<void>) => unknown,
  { stopGrace, onStopping }: { stopGrace: number; onStopping?: () => void },
): Promise<Stopped> {
  const rowlock = scene.client();
  let signal: AbortSignal | undefined;
  const handler = work.handle((context) => {
    signal = context.signal;
    return run(context) as undefined;
  });
  const worker = rowlock.worker({ handlers: [handler], stopGrace });
  const diary = diaryOf(worker);
  await worker.start();
  const { id } = await rowlock.enqueue(work);
  await until(() => diary.started.length === 1);
  const began = performance.now();
  const stopped = worker.stop();
  onStopping?.();
  await stopped;
  assert.equal(worker.health().state, 'stopped');
  return { id, reason: signal?.reason, took: performance.now() - began };
}

test('a handler that ends within the grace has its end stored', async () => {
  const goOn = deferred();
  const ended = await stopDuring(() => goOn.promise, { stopGrace: 60_000, onStopping: goOn.resolve });
  assert.equal((await scene.job(ended.id)).state, 'completed');
  const goDown = deferred();
  const failed = await stopDuring(() => goDown.promise, {
    stopGrace: 60_000,
    onStopping: () => goDown.reject(new Error('no')),
  });
  const { state, attempt } = await scene.job(failed.id);
  assert.deepEqual([state, attempt], ['retryable', 1]);
});

test('after the grace the signal aborts with SHUTDOWN; who heeds it gives its job back, the attempt not counted', async () => {
  const { id, reason, took } = await stopDuring(
    ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('fetch failed')))),
    { stopGrace: 200 },
  );
  assert.equal((reason as { code: string }).code, 'SHUTDOWN');
  assert.ok(took >= 200 && took < 1000, `stopped in ${String(took)} ms`);
  const { state, attempt, errors } = await scene.job(id);
  assert.deepEqual([state, attempt, errors], ['available', 0, null]);
});

test('who ignores the signal has its job taken, which another worker runs at once; its late end counts no more', async () => {
  const goOn = deferred();
  const { id } = await stopDuring(() => goOn.promise, { stopGrace: 0 });
  assert.equal((await scene.job(id)).state, 'available');
  await scene.working({ handlers: [work.handle(() => undefined)] }, async () => {
    const job = await scene.untilState(id, 'completed');
    assert.deepEqual([job.attempt, job.claim_no, job.errors], [1, 2, null]);
  });
  goOn.resolve();
  const [row] = await scene.rows('select count(*)::int as jobs from rowlock.jobs');
  assert.deepEqual(row, { jobs: 1 });
});

test('no job starts after stop was called', async () => {
  const rowlock = scene.client();
  const goOn = deferred();
  const worker = rowlock.worker({
    handlers: [work.handle(() => goOn.promise)],
    queues: { default: { concurrency: 2 } },
  });
  const diary = diaryOf(worker);
  await rowlock.enqueueMany(Array.from({ length: 10 }, () => work.with()));
  await worker.start();
  await until(() => diary.started.length === 2);
  const stopped = worker.stop();
  goOn.resolve();
  await stopped;
  assert.equal(diary.started.length, 2);
  const states =
    'select state, sum(attempt)::int as attempts, count(*)::int as jobs from rowlock.jobs group by state order by state';
  assert.deepEqual(await scene.rows(states), [
    { state: 'available', attempts: 0, jobs: 8 },
    { state: 'completed', attempts: 2, jobs: 2 },
  ]);
});

test('stop may be called again, before start, and instead of it', async () => {
  const rowlock = scene.client();
  const worker = rowlock.worker({ handlers: [work.handle(() => undefined)] });
  assert.equal(worker.stop(), worker.stop());
  await worker.stop();
  await assert.rejects(worker.start(), { code: 'WORKER_STOPPED' });
  const disposed = rowlock.worker({ handlers: [work.handle(() => undefined)] });
  await disposed.start();
  await disposed[Symbol.asyncDispose]();
  await disposed.stop();
  await assert.rejects(disposed.start(), { code: 'WORKER_STOPPED' });
  await assert.rejects(disposed.run(), { code: 'WORKER_STOPPED' });
  assert.equal(disposed.health().state, 'stopped');
});

test('a worker that stopped is marked dead and swept, and nothing of it is left in the database', async () => {
  await scene.working({ handlers: [work.handle(() => undefined)] }, async ({ worker }) => {
    await until(() => worker.health().listening);
  });
  assert.deepEqual(
    await scene.rows('select dead_at is not null as dead, swept_at is not null as swept from rowlock.worker'),
    [{ dead: true, swept: true }],
  );
  await until(async () => {
    const helpers = `select from pg_stat_activity where application_name = 'rowlock helper' and datname = current_database()`;
    return (await scene.rows(helpers)).length === 0;
  });
});

test('handlers may enqueue until they have ended, while their client closes', async () => {
  const rowlock = scene.client();
  const goOn = deferred();
  const handler = work.handle(async () => {
    await goOn.promise;
    await rowlock.enqueue(next);
  });
  const worker = rowlock.worker({ handlers: [handler] });
  const diary = diaryOf(worker);
  await worker.start();
  const { id } = await rowlock.enqueue(work);
  await until(() => diary.started.length === 1);
  const closed = rowlock.close();
  goOn.resolve();
  await closed;
  assert.equal((await scene.job(id)).state, 'completed');
  assert.deepEqual(await scene.rows('select kind from rowlock.job'), [{ kind: 'next' }]);
  await assert.rejects(rowlock.enqueue(next), { code: 'CLIENT_CLOSED' });
});

test('a client that closes stops all of its workers', async () => {
  const rowlock = scene.client();
  const workers = [1, 2].map(() => rowlock.worker({ handlers: [work.handle(() => undefined)] }));
  await Promise.all(workers.map((worker) => worker.start()));
  await rowlock.close();
  assert.deepEqual(
    workers.map((worker) => worker.health().state),
    ['stopped', 'stopped'],
  );
});

test('a worker whose pool the application has closed before stops all the same, and leaves nothing to nobody', async () => {
  const pool = new pg.Pool({ connectionString: scene.url, max: 3 });
  const rowlock = scene.client({ pool });
  const worker = rowlock.worker({ handlers: [work.handle(() => undefined)], stopGrace: 0 });
  const diary = diaryOf(worker);
  await worker.start();
  await pool.end();
  await until(() => diary.contact.length > 0);
  await worker.stop();
  await rowlock.close();
  assert.ok(scene.messages('warn').includes('the worker could not sign off; its lease will run out'));
});
