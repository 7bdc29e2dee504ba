import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { fixed } from '../job/backoff.js';
import { defineJob } from '../job/define.js';
import { deferred } from '../runtime/deferred.js';
import { loseWorkerWith } from '../testing/lost-worker.js';
import { diaryOf, Scene } from '../testing/scene.js';
import { startTcpProxy, type TcpProxy } from '../testing/tcp-proxy.js';
import { until } from '../testing/until.js';

const lease = '1s';
const work = defineJob('work');

let scene: Scene;
let proxy: TcpProxy;
before(async () => {
  scene = await Scene.open();
  proxy = await startTcpProxy(scene.url);
});
after(async () => {
  await scene.close();
  await proxy.close();
});
beforeEach(async () => {
  proxy.mode = 'pass';
  await scene.clear();
});

/** Defines kinds by a worker that is gone again, as another deployment would. */
async function define(...kinds: (typeof work)[]): Promise<void> {
  const handlers = kinds.map((kind) => kind.handle(() => undefined));
  await scene.working({ handlers, queues: { default: {}, unused: {} } }, () => Promise.resolve());
}

test('the jobs of a lost worker run again at once, each with one attempt and one crash more', async () => {
  const rowlock = scene.client();
  await rowlock.enqueueMany(Array.from({ length: 50 }, () => work.with()));
  assert.equal((await loseWorkerWith(scene.url)).length, 50);
  await scene.working({ handlers: [work.handle(() => undefined)], lease }, async ({ diary, worker }) => {
    await until(() => diary.settled.length === 50, { timeoutMs: 4000 });
    assert.deepEqual(
      await scene.rows(
        'select distinct attempt, claim_no, crashes, jsonb_array_length(errors) as errors from rowlock.finished',
      ),
      [{ attempt: 2, claim_no: 2, crashes: 1, errors: 1 }],
    );
    await until(() => worker.health().counters.rescued === 50);
  });
});

test('a job whose worker died once too often is discarded: it may be what kills them', async () => {
  const deadly = defineJob('deadly', { maxCrashes: 2 });
  await define(deadly);
  const rowlock = scene.client();
  const { id } = await rowlock.enqueue(deadly);
  await scene.sql.query('update rowlock.job set crashes = 1, attempt = 1');
  await loseWorkerWith(scene.url);
  await scene.working({ handlers: [deadly.handle(() => undefined)], lease }, async ({ diary }) => {
    const job = await scene.untilState(id, 'discarded', 4000);
    assert.deepEqual([job.reason, job.attempt, job.crashes], ['POISON', 2, 2]);
    await until(() => diary.rescued.length > 0);
    assert.deepEqual([diary.rescued[0], diary.started], [{ jobs: 1, discarded: 1 }, []]);
  });
});

test('the second loss in a row waits out the backoff, so that a deadly job kills no worker after worker at once', async () => {
  const deadly = defineJob('deadly', { backoff: fixed({ delay: '1h', jitter: 0 }) });
  await define(deadly);
  const { id } = await scene.client().enqueue(deadly);
  await scene.sql.query('update rowlock.job set crashes = 1, attempt = 1');
  await loseWorkerWith(scene.url);
  await scene.working({ handlers: [work.handle(() => undefined)], lease }, async () => {
    const job = await scene.untilState(id, 'retryable', 4000);
    assert.deepEqual([job.crashes, job.run_at.getTime() > Date.now() + 3_000_000], [2, true]);
  });
});

test('a job is judged by the policy of its own kind, whoever rescues it', async () => {
  const single = defineJob('single', { maxAttempts: 1 });
  const several = defineJob('several', { maxAttempts: 3 });
  await define(single, several);
  const rowlock = scene.client();
  const { ids } = await rowlock.enqueueMany([
    single.with(),
    several.with(),
    work.with(undefined, { maxAttempts: 1 }),
  ]);
  await loseWorkerWith(scene.url);
  // This worker serves none of them.
  const other = defineJob('other', { queue: 'elsewhere' });
  await scene.working({ handlers: [other.handle(() => undefined)], lease }, async ({ diary }) => {
    await until(() => diary.rescued.length > 0, { timeoutMs: 4000 });
    const jobs = await Promise.all(ids.map((id) => scene.job(id)));
    assert.deepEqual(
      jobs.map(({ state, reason }) => [state, reason]),
      [
        ['discarded', 'MAX_ATTEMPTS'],
        ['available', null],
        ['discarded', 'MAX_ATTEMPTS'],
      ],
    );
  });
});

test('of a job whose holder lost contact there is one end: the late one is refused, reported, and its handler told', async () => {
  const goOn = deferred();
  const seen: unknown[] = [];
  const rowlock = scene.client({ connectionString: proxy.url });
  const zombie = rowlock.worker({
    handlers: [
      work.handle(async ({ signal }) => {
        await goOn.promise;
        seen.push((signal.reason as { code: string } | undefined)?.code);
      }),
    ],
    lease,
    stopGrace: 0,
  });
  const told = diaryOf(zombie);
  await zombie.start();
  const { id } = await scene.client().enqueue(work);
  await until(() => told.started.length === 1);
  proxy.mode = 'black-hole';
  await scene.working({ handlers: [work.handle(() => undefined)], lease }, async () => {
    const job = await scene.untilState(id, 'completed', 6000);
    assert.deepEqual([job.attempt, job.errors?.[0]?.code], [2, 'WORKER_LOST']);
    assert.equal(zombie.health().ok, false);
  });
  proxy.mode = 'pass';
  proxy.cut();
  goOn.resolve();
  await until(() => told.leaseLost.length === 1, { timeoutMs: 15_000 });
  assert.deepEqual(told.leaseLost[0], { id, kind: 'work', queue: 'default', attempt: 1, claimNo: 1 });
  assert.deepEqual([seen, told.settled], [['LEASE_LOST'], []]);
  // It goes on as another incarnation.
  await until(() => zombie.health().ok);
  const again = await scene.client().enqueue(work);
  await scene.untilState(again.id, 'completed');
  assert.deepEqual(await scene.rows('select claim_no from rowlock.finished where id = $1', [id]), [
    { claim_no: 2 },
  ]);
  await zombie.stop();
});
