import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import pg from 'pg';
import { defineJob } from '../job/define.js';
import { Scene } from '../testing/scene.js';
import { until } from '../testing/until.js';

const work = defineJob('work');
const handlers = [work.handle(() => undefined)];

let scene: Scene;
let reader: pg.Client;
before(async () => {
  scene = await Scene.open();
  reader = new pg.Client({ connectionString: scene.url });
  await reader.connect();
});
after(async () => {
  await reader.end();
  await scene.close();
});
beforeEach(async () => {
  await scene.clear();
  await scene.sql.query(
    'update rowlock.history_ring set current_leaf = first_leaf, since = clock_timestamp()',
  );
});

interface Ring {
  readonly name: string;
  readonly leaf: number;
}

function leaves(): Promise<Ring[]> {
  return scene.rows<Ring>('select name, current_leaf::int as leaf from rowlock.history_ring order by name');
}

function rotate(): Promise<object[]> {
  return scene.rows('select ring, turned from rowlock.rotate_history() order by ring');
}

async function runOne(): Promise<void> {
  await scene.working({ handlers }, async ({ rowlock, diary }) => {
    await rowlock.enqueue(work);
    await until(() => diary.settled.length === 1);
  });
}

async function leavesWithJobs(): Promise<number[]> {
  const rows = await scene.rows<{ leaf: number }>(
    'select distinct leaf::int from rowlock.finished order by 1',
  );
  return rows.map(({ leaf }) => leaf);
}

const overdue = (ring: string): Promise<unknown> =>
  scene.sql.query('update rowlock.history_ring set since = clock_timestamp() - period where name = $1', [
    ring,
  ]);

test('a ring turns when its period is over: the next leaf is emptied and filled from then on', async () => {
  assert.deepEqual(await rotate(), []);
  await runOne();
  await overdue('long');
  assert.deepEqual(await rotate(), [{ ring: 'long', turned: true }]);
  assert.deepEqual(await leaves(), [
    { name: 'long', leaf: 8 },
    { name: 'short', leaf: 1 },
  ]);
  await runOne();
  assert.deepEqual(await leavesWithJobs(), [7, 8]);
  assert.deepEqual(await rotate(), []);
});

test('after its last leaf a ring begins again with the first, whose jobs are gone then', async () => {
  await runOne();
  for (let turns = 0; turns < 9; turns += 1) {
    await overdue('long');
    await rotate();
  }
  assert.deepEqual((await leaves())[0], { name: 'long', leaf: 7 });
  assert.deepEqual(await leavesWithJobs(), []);
});

test('a job is kept for a day or a week at least: one leaf is being filled, one may wait to be emptied', async () => {
  const rows = await scene.rows(
    `select name, (extract(epoch from period) / 3600 * (last_leaf - first_leaf - 1))::int as hours from rowlock.history_ring order by name`,
  );
  assert.deepEqual(rows, [
    { name: 'long', hours: 7 * 24 },
    { name: 'short', hours: 24 },
  ]);
});

test('behind an open reader the ring does not turn, and nobody waits for it', async () => {
  await overdue('long');
  await overdue('short');
  await reader.query('begin');
  await reader.query('select count(*) from rowlock.finished_8');
  const began = performance.now();
  assert.deepEqual(await rotate(), [
    { ring: 'long', turned: false },
    { ring: 'short', turned: true },
  ]);
  assert.ok(performance.now() - began < 1000);
  await runOne();
  assert.deepEqual(await leavesWithJobs(), [7]);
  await reader.query('rollback');
  assert.deepEqual(await rotate(), [{ ring: 'long', turned: true }]);
});

test('a worker turns the rings as one of its duties', async () => {
  await overdue('short');
  await scene.working({ handlers, lease: '1s' }, async () => {
    await until(async () => (await leaves())[1]?.leaf === 2);
  });
});

test('of several that turn a ring at once one does', async () => {
  await overdue('long');
  const clients = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const client = new pg.Client({ connectionString: scene.url });
      await client.connect();
      return client;
    }),
  );
  await Promise.all(clients.map((client) => client.query('select * from rowlock.rotate_history()')));
  await Promise.all(clients.map((client) => client.end()));
  assert.equal((await leaves())[0]?.leaf, 8);
});
