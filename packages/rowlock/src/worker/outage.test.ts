import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import pg from 'pg';
import { defineJob } from '../job/define.js';
import { deferred } from '../runtime/deferred.js';
import { Scene } from '../testing/scene.js';
import { startTcpProxy, type TcpProxy } from '../testing/tcp-proxy.js';
import { until } from '../testing/until.js';

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

async function terminateOthers(): Promise<void> {
  await scene.sql.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
  );
}

test('jobs survive terminated backends: each is done once, whatever was cut off', async () => {
  const jobs = 2000;
  await scene.client().enqueueMany(Array.from({ length: jobs }, () => work.with()));
  await scene.working(
    { handlers: [work.handle(() => undefined)], lease: '1s' },
    async ({ diary, worker }) => {
      const seen = (): number =>
        new Set([...diary.settled, ...diary.outcomeUnknown].map(({ id }) => id)).size;
      for (let rounds = 0; rounds < 4; rounds += 1) {
        const before = diary.started.length;
        await until(() => diary.started.length > before || seen() === jobs);
        await terminateOthers();
      }
      await until(async () => (await scene.rows('select from rowlock.job limit 1')).length === 0, {
        timeoutMs: 15_000,
      });
      const [row] = await scene.rows(
        `select count(*)::int as ends, count(distinct id)::int as jobs, max(attempt)::int as attempts, max(crashes)::int as crashes
         from rowlock.finished`,
      );
      assert.deepEqual(row, { ends: jobs, jobs, attempts: 1, crashes: 0 });
      await until(() => worker.health().ok && worker.health().unsettled === 0);
    },
  );
});

test('a handler that runs through losses of every connection keeps its job', async () => {
  const goOn = deferred();
  await scene.working(
    { handlers: [work.handle(() => goOn.promise)], lease: '2s' },
    async ({ rowlock, diary }) => {
      const { id } = await rowlock.enqueue(work);
      await until(() => diary.started.length === 1);
      for (let rounds = 1; rounds <= 3; rounds += 1) {
        await terminateOthers();
        const helpers = `select from pg_stat_activity where application_name = 'rowlock helper' and datname = current_database()`;
        await until(async () => (await scene.rows(helpers)).length === 1);
      }
      goOn.resolve();
      const job = await scene.untilState(id, 'completed');
      assert.deepEqual([job.attempt, job.claim_no, diary.started.length, job.errors], [1, 1, 1, null]);
    },
  );
});

test('loss and return of the database are told once each, in events, health and log', async () => {
  const rowlock = scene.client({ connectionString: proxy.url });
  await scene.working(
    { handlers: [work.handle(() => undefined)] },
    async ({ worker, diary }) => {
      await until(() => worker.health().listening);
      proxy.mode = 'refuse';
      proxy.cut();
      await until(() => !worker.health().ok);
      const { reasons } = worker.health();
      assert.ok(reasons.includes('the database does not answer'));
      assert.match(reasons.at(-1) ?? '', /^the last call to the database failed: .*connect/);
      // Passes and claims go on failing meanwhile.
      await until(() => proxy.refused > 10);
      assert.deepEqual(diary.contact, [{ ok: false }]);
      const failures = scene
        .messages('warn')
        .filter((message) => message === 'a call of the worker to the database failed');
      assert.equal(failures.length, 1);
      proxy.mode = 'pass';
      await until(() => worker.health().ok);
      assert.deepEqual(diary.contact, [{ ok: false }, { ok: true }]);
      const { id } = await rowlock.enqueue(work);
      await scene.untilState(id, 'completed');
    },
    rowlock,
  );
});

test('an end that could not be stored for want of a connection is stored once there is one', async () => {
  const goOn = deferred();
  const rowlock = scene.client({ connectionString: proxy.url });
  const failing = defineJob('failing', { maxAttempts: 1 });
  const handlers = [
    work.handle(() => goOn.promise),
    failing.handle(async () => {
      await goOn.promise;
      throw new Error('no');
    }),
  ];
  await scene.working(
    { handlers },
    async ({ worker, diary }) => {
      const { ids } = await rowlock.enqueueMany([work.with(), failing.with()]);
      await until(() => diary.started.length === 2);
      proxy.mode = 'refuse';
      proxy.cut();
      await until(() => !worker.health().ok);
      goOn.resolve();
      await until(() => worker.health().unsettled === 2);
      proxy.mode = 'pass';
      await until(() => diary.settled.length === 2);
      const states = await Promise.all(ids.map(async (id) => (await scene.job(id)).state));
      assert.deepEqual(states, ['completed', 'discarded']);
    },
    rowlock,
  );
});

test('a pool that others have exhausted for a while is waited for', async () => {
  const pool = new pg.Pool({ connectionString: scene.url, max: 2 });
  const rowlock = scene.client({ pool });
  await scene.working(
    { handlers: [work.handle(() => undefined)] },
    async ({ worker, diary }) => {
      const taken = await Promise.all([pool.connect(), pool.connect()]);
      const { id } = await scene.client().enqueue(work);
      const enqueued = rowlock.enqueue(work);
      assert.equal((await scene.job(id)).state, 'available');
      for (const client of taken) client.release();
      await enqueued;
      await until(() => diary.settled.length === 2);
      assert.equal(worker.health().ok, true);
    },
    rowlock,
  );
  await rowlock.close();
  await pool.end();
});

test('no rejection of ours is left to nobody, whatever statement fails', async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', note);
  const rowlock = scene.client({ connectionString: proxy.url });
  await scene.working(
    { handlers: [work.handle(() => undefined)], lease: '1s' },
    async ({ diary }) => {
      for (let rounds = 0; rounds < 15; rounds += 1) {
        const enqueued = rowlock.enqueue(work).catch(() => undefined);
        proxy.cut();
        await enqueued;
      }
      const { id } = await scene.client().enqueue(work);
      await scene.untilState(id, 'completed', 6000);
      await until(() => diary.settled.length > 0);
    },
    rowlock,
  );
  process.off('unhandledRejection', note);
  assert.deepEqual(unhandled, []);
});
