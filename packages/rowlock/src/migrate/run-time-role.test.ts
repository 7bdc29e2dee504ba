import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fixed } from '../job/backoff.js';
import { defineJob } from '../job/define.js';
import { loseWorkerWith } from '../testing/lost-worker.js';
import { Scene } from '../testing/scene.js';
import { until } from '../testing/until.js';
import { grantSql } from './export-sql.js';

const work = defineJob('work', { maxAttempts: 2, backoff: fixed({ delay: 1 }) });
const foreign = defineJob('foreign');

let scene: Scene;
let role: string;
let url: string;

before(async () => {
  scene = await Scene.open();
  role = `${scene.name}_runtime`;
  await scene.sql.query(`create role ${role} login password 'secret'`);
  // As text, the way an administrator would run it.
  await scene.sql.query(grantSql({ role }));
  const asRole = new URL(scene.url);
  asRole.username = role;
  asRole.password = 'secret';
  url = asRole.href;
});

after(async () => {
  await scene.sql.query(`drop owned by ${role} cascade; drop role ${role}`);
  await scene.close();
});

test('the run-time role is enough for everything a worker does', async () => {
  const rowlock = scene.client({ connectionString: url, migrate: 'check' });
  const handlers = [
    work.handle(({ job }) => (job.attempt === 1 ? Promise.reject(new Error('once')) : undefined)),
  ];
  await rowlock.enqueue(work);
  await loseWorkerWith(scene.url);
  await scene.sql.query(`update rowlock.duty set next_at = clock_timestamp()`);
  await scene.working(
    { handlers, lease: '1s' },
    async ({ worker, diary }) => {
      await until(() => worker.health().listening);
      const { ids } = await rowlock.enqueueMany([work.with(), foreign.with()]);
      await scene.untilState(ids[0]!, 'completed');
      await until(async () => (await scene.job(ids[1]!)).parked);
      await until(() => diary.rescued.length > 0, { timeoutMs: 4000 });
      for (const pausable of [rowlock.kinds, rowlock.queues]) {
        const name = pausable === rowlock.kinds ? 'work' : 'default';
        await pausable.pause(name);
        await pausable.resume(name);
      }
      const duties = `select count(*)::int as due from rowlock.duty where next_at <= clock_timestamp() - interval '3 seconds'`;
      assert.deepEqual(await scene.rows(duties), [{ due: 0 }]);
      assert.deepEqual(worker.health().reasons, []);
    },
    rowlock,
  );
  assert.deepEqual(
    scene.messages('warn').filter((message) => /failed/.test(message)),
    [],
  );
});

test('the run-time role turns history though it may not truncate', async () => {
  await scene.sql.query(`update rowlock.history_ring set since = clock_timestamp() - interval '30 days'`);
  const rowlock = scene.client({ connectionString: url, migrate: 'check' });
  await scene.sql.query(`update rowlock.duty set next_at = clock_timestamp()`);
  await scene.working(
    { handlers: [work.handle(() => undefined)], lease: '1s' },
    async () => {
      await until(
        async () =>
          (
            await scene.rows(
              `select from rowlock.history_ring where since < clock_timestamp() - interval '1 day'`,
            )
          ).length === 0,
      );
    },
    rowlock,
  );
});
