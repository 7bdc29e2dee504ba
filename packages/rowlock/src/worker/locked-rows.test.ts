import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import pg from 'pg';
import { fixed } from '../job/backoff.js';
import { defineJob } from '../job/define.js';
import { type } from '../job/witness.js';
import { deferred } from '../runtime/deferred.js';
import { Scene } from '../testing/scene.js';
import { until } from '../testing/until.js';

const work = defineJob('work', { args: type<{ fails: boolean }>(), backoff: fixed({ delay: '1h' }) });

let scene: Scene;
let other: pg.Client;
before(async () => {
  scene = await Scene.open();
  other = new pg.Client({ connectionString: scene.url });
  await other.connect();
});
after(async () => {
  await other.end();
  await scene.close();
});
beforeEach(() => scene.clear());

/** Runs ten jobs that end at once while one of them is locked in somebody's transaction. */
async function endWhileLocked(fails: boolean): Promise<void> {
  const goOn = deferred();
  const handlers = [
    work.handle(async ({ args }) => {
      await goOn.promise;
      if (args.fails) throw new Error('no');
    }),
  ];
  await scene.working({ handlers }, async ({ rowlock, diary, worker }) => {
    const { ids } = await rowlock.enqueueMany(Array.from({ length: 10 }, () => work.with({ fails })));
    await until(() => diary.started.length === 10);
    await other.query('begin');
    await other.query('select from rowlock.job where id = $1 for update', [ids[4]]);
    goOn.resolve();
    await until(() => diary.settled.length === 9, { timeoutMs: 3000 });
    assert.equal((await scene.job(ids[4]!)).state, 'running');
    assert.equal(worker.health().unsettled, 1);
    await other.query('rollback');
    await until(() => diary.settled.length === 10);
    assert.equal(diary.settled.at(-1)?.id, ids[4]);
    assert.deepEqual([diary.leaseLost, diary.outcomeUnknown], [[], []]);
  });
}

test('a row locked in a transaction of somebody does not hold up the jobs that completed with it', () =>
  endWhileLocked(false));

test('nor those that failed with it', () => endWhileLocked(true));

test('a waiting row that somebody has locked is passed over, and found once it is free', async () => {
  const rowlock = scene.client();
  const { ids } = await rowlock.enqueueMany(Array.from({ length: 5 }, () => work.with({ fails: false })));
  await other.query('begin');
  await other.query('select from rowlock.job where id = $1 for update', [ids[0]]);
  await scene.working({ handlers: [work.handle(() => undefined)] }, async ({ diary }) => {
    await until(() => diary.settled.length === 4);
    await other.query('rollback');
    await until(() => diary.settled.length === 5);
  });
});

test('a reader with an open snapshot holds up nothing', async () => {
  await other.query('begin isolation level repeatable read');
  await other.query('select count(*) from rowlock.jobs');
  await scene.working({ handlers: [work.handle(() => undefined)] }, async ({ rowlock, diary }) => {
    await rowlock.enqueueMany(Array.from({ length: 100 }, () => work.with({ fails: false })));
    await until(() => diary.settled.length === 100);
  });
  await other.query('rollback');
});
