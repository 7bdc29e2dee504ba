import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { fixed } from '../job/backoff.js';
import { defineJob } from '../job/define.js';
import { type } from '../job/witness.js';
import { Scene } from '../testing/scene.js';
import { until } from '../testing/until.js';

const work = defineJob('work', { args: type<{ name: string }>() });

let scene: Scene;
before(async () => (scene = await Scene.open()));
after(() => scene.close());
beforeEach(() => scene.clear());

test('jobs start by priority, 0 first, and within a priority in the order in which they were enqueued', async () => {
  const priorities = [5, 9, 0, 5, 1, 0, 9, 3];
  const rowlock = scene.client();
  await rowlock.enqueueMany(
    priorities.map((priority, n) => work.with({ name: `${String(priority)}.${String(n)}` }, { priority })),
  );
  const order: string[] = [];
  const handlers = [work.handle(({ args }) => void order.push(args.name))];
  await scene.working({ handlers, queues: { default: { concurrency: 1 } } }, async () => {
    await until(() => order.length === priorities.length);
  });
  assert.deepEqual(order, ['0.2', '0.5', '1.4', '3.7', '5.0', '5.3', '9.1', '9.6']);
});

test('a more urgent job that comes later passes those that wait', async () => {
  const order: string[] = [];
  const rowlock = scene.client();
  await rowlock.enqueueMany(['a', 'b', 'c'].map((name) => work.with({ name })));
  const handlers = [
    work.handle(async ({ args }) => {
      order.push(args.name);
      if (args.name === 'a') await rowlock.enqueue(work, { name: 'urgent' }, { priority: 0 });
    }),
  ];
  await scene.working({ handlers, queues: { default: { concurrency: 1 } } }, async () => {
    await until(() => order.length === 4);
  });
  assert.deepEqual(order.indexOf('urgent') < order.indexOf('c'), true, order.join(' '));
});

test('a delayed job starts when it is due, woken by nothing but its time', async () => {
  const handlers = [work.handle(() => undefined)];
  await scene.working({ handlers, poll: { floorEvery: '1h' } }, async ({ worker, diary, rowlock }) => {
    await until(() => worker.health().listening);
    await until(async () => {
      const [row] = await scene.rows<{ waits: boolean }>(
        'select rowlock.somebody_waits(clock_timestamp()) as waits',
      );
      return row?.waits;
    });
    const { id } = await rowlock.enqueue(work, { name: 'later' }, { delay: 600 });
    assert.equal((await scene.job(id)).state, 'scheduled');
    await until(() => diary.settled.length === 1, { timeoutMs: 3000 });
    const [row] = await scene.rows<{ early: boolean }>(
      'select claimed_at < run_at as early from rowlock.finished where id = $1',
      [id],
    );
    assert.deepEqual(row, { early: false });
  });
});

test('jobs due at different times run in the order of their times, whatever the order of their ids', async () => {
  const rowlock = scene.client();
  const delays = [700, 100, 1300, 400, 1000];
  await rowlock.enqueueMany(delays.map((delay) => work.with({ name: String(delay) }, { delay })));
  const order: string[] = [];
  await scene.working({ handlers: [work.handle(({ args }) => void order.push(args.name))] }, async () => {
    await until(() => order.length === delays.length);
  });
  assert.deepEqual(order, ['100', '400', '700', '1000', '1300']);
  const [late] = await scene.rows<{ early: number }>(
    'select count(*)::int as early from rowlock.finished where claimed_at < run_at',
  );
  assert.deepEqual(late, { early: 0 });
});

test('a retry starts when its backoff has passed, woken by nothing but its time', async () => {
  const flaky = defineJob('flaky', { backoff: fixed({ delay: 300, jitter: 0 }) });
  const handlers = [
    flaky.handle(({ job }) => (job.attempt === 1 ? Promise.reject(new Error('once')) : undefined)),
  ];
  const poll = { mode: 'poll', min: '10s', max: '10s', floorEvery: '1h' } as const;
  const rowlock = scene.client();
  const { id } = await rowlock.enqueue(flaky);
  await scene.working({ handlers, poll }, async ({ diary }) => {
    await until(() => diary.settled.length === 2, { timeoutMs: 5000 });
    assert.equal((await scene.job(id)).attempt, 2);
  });
});
