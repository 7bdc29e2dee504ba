import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { defineJob } from '../job/define.js';
import { Scene } from '../testing/scene.js';
import { until } from '../testing/until.js';

const known = defineJob('known');
const foreign = defineJob('foreign');
const handlesKnown = [known.handle(() => undefined)];
const handlesForeign = [foreign.handle(() => undefined)];

let scene: Scene;
before(async () => (scene = await Scene.open()));
after(() => scene.close());
beforeEach(() => scene.clear());

test('a job of a kind that nobody here serves is parked unharmed, and reported once', async () => {
  await scene.working({ handlers: handlesKnown }, async ({ rowlock, diary, worker }) => {
    const { ids } = await rowlock.enqueueMany([foreign.with(), foreign.with()]);
    for (const id of ids) await until(async () => (await scene.job(id)).parked);
    await until(() => worker.health().unsettled === 0);
    const { state, attempt, errors, claim_no: claimNo } = await scene.job(ids[0]!);
    assert.deepEqual([state, attempt, errors, claimNo <= 1], ['available', 0, null, true]);
    assert.deepEqual([diary.started, worker.health().ok], [[], true]);
    const message = 'jobs of a kind without a handler here are left to other workers';
    assert.deepEqual(
      scene.log.filter((line) => line.message === message).map(({ fields }) => fields),
      [{ kind: 'foreign', queue: 'default' }],
    );
  });
});

test('a parked job is run by a worker that serves its kind, whenever one comes', async () => {
  const rowlock = scene.client();
  const { id } = await rowlock.enqueue(foreign);
  await scene.working({ handlers: handlesKnown }, async () => {
    await until(async () => (await scene.job(id)).parked);
    await scene.working({ handlers: handlesForeign }, async () => {
      const job = await scene.untilState(id, 'completed');
      assert.equal(job.attempt, 1);
    });
  });
});

test('thousands of unserved jobs ahead are parked in bulk, and those served flow', async () => {
  const rowlock = scene.client();
  await rowlock.enqueueMany(Array.from({ length: 6000 }, () => foreign.with()));
  await rowlock.enqueueMany(Array.from({ length: 20 }, () => known.with()));
  await scene.working({ handlers: handlesKnown }, async ({ diary, worker }) => {
    await until(() => diary.settled.filter(({ state }) => state === 'completed').length === 20);
    const parked =
      'select count(*) filter (where parked)::int as parked, sum(claim_no)::int as claims from rowlock.job';
    const row = await until(async () => {
      const [counts] = await scene.rows<{ parked: number; claims: number }>(parked);
      return counts?.parked === 6000 ? counts : undefined;
    });
    // Few of them were ever claimed.
    assert.ok((row?.claims ?? Infinity) < 1000, `${String(row?.claims)} claims`);
    await until(() => worker.health().counters.parked === row?.claims);
  });
});

test('two workers of one queue that serve different kinds hand no job to and fro', async () => {
  await scene.working({ handlers: handlesKnown }, async ({ rowlock }) => {
    await scene.working({ handlers: handlesForeign }, async () => {
      const requests = Array.from({ length: 200 }, (_, n) => (n % 2 === 0 ? known : foreign).with());
      await rowlock.enqueueMany(requests);
      const finished =
        'select count(*)::int as jobs, max(attempt)::int as attempt, max(claim_no)::int as claims from rowlock.finished';
      const [row] =
        (await until(async () => {
          const rows = await scene.rows<{ jobs: number; attempt: number; claims: number }>(finished);
          return rows[0]?.jobs === requests.length ? rows : undefined;
        })) ?? [];
      assert.equal(row?.attempt, 1);
      assert.ok((row?.claims ?? Infinity) <= 3, `${String(row?.claims)} claims of one job`);
    });
  });
});

test('a kind is served in whatever queue its jobs are, if the worker serves the queue', async () => {
  const queues = { default: {}, other: {} };
  await scene.working({ handlers: handlesKnown, queues }, async ({ rowlock }) => {
    const { id } = await rowlock.enqueue(known, undefined, { queue: 'other' });
    const elsewhere = await rowlock.enqueue(known, undefined, { queue: 'nowhere' });
    await scene.untilState(id, 'completed');
    assert.equal((await scene.job(elsewhere.id)).state, 'available');
  });
});
