import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { defineJob } from '../job/define.js';
import { deferred, type Deferred } from '../runtime/deferred.js';
import { Scene, type Shift } from '../testing/scene.js';
import { startTcpProxy, type TcpProxy } from '../testing/tcp-proxy.js';
import { until } from '../testing/until.js';

const work = defineJob('work');
const unheard = defineJob('unheard');

let scene: Scene;
let proxy: TcpProxy;
let goOn: Deferred<void>;
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
  proxy.filter = undefined;
  await scene.clear();
  goOn = deferred();
});

const handlers = [work.handle(() => goOn.promise), unheard.handle(() => goOn.promise)];

/** Leaves rescue to nobody, so that what happens is the doing of the worker itself. */
async function withoutRescue(): Promise<void> {
  await scene.sql.query(`update rowlock.duty set next_at = 'infinity'`);
}

async function holding({ rowlock, diary }: Shift, jobs: number): Promise<readonly string[]> {
  const { ids } = await rowlock.enqueueMany(Array.from({ length: jobs }, () => work.with()));
  await until(() => diary.started.length === jobs);
  return ids;
}

test('a worker that was marked dead goes on as another, with what it holds; the ends still count, once', async () => {
  await withoutRescue();
  await scene.working({ handlers }, async (shift) => {
    const { diary, worker } = shift;
    const ids = await holding(shift, 5);
    const first = worker.health().workerId;
    await scene.sql.query('update rowlock.worker set dead_at = clock_timestamp()');
    await until(() => diary.registered.length === 2);
    const second = worker.health().workerId;
    assert.notEqual(second, first);
    const holders = await scene.rows('select distinct claimed_by, claim_no from rowlock.job');
    assert.deepEqual(holders, [{ claimed_by: second, claim_no: 1 }]);
    goOn.resolve();
    await until(() => diary.settled.length === 5);
    assert.deepEqual(new Set(diary.settled.map(({ id }) => id)), new Set(ids));
    assert.deepEqual([diary.started.length, diary.leaseLost.length], [5, 0]);
    assert.deepEqual(await scene.rows('select distinct attempt, crashes from rowlock.finished'), [
      { attempt: 1, crashes: 0 },
    ]);
  });
});

test('a claim whose answer was lost is given back and run; what ran meanwhile is not disturbed', async () => {
  const rowlock = scene.client({ connectionString: proxy.url });
  const queues = { default: { concurrency: 5 } };
  await scene.working(
    { handlers, queues, lease: '1s', poll: { mode: 'poll', min: 10, max: 10 } },
    async (shift) => {
      const { diary } = shift;
      const [held = ''] = await holding(shift, 1);
      // The claim is made, but its answer does not arrive, nor anything after it.
      proxy.filter = (type, message) => {
        if (type === 'D' && message.includes('unheard')) proxy.mode = 'deaf';
        return message;
      };
      const { ids } = await scene.client().enqueueMany([unheard.with(), unheard.with()]);
      await until(() => proxy.mode === 'deaf');
      const claimed = await scene.rows('select from rowlock.job where claimed_by is not null');
      assert.equal(claimed.length, 3);
      proxy.filter = undefined;
      proxy.mode = 'pass';
      proxy.cut();
      await until(() => diary.registered.length >= 2);
      await until(() => diary.started.length === 3, { timeoutMs: 6000 });
      goOn.resolve();
      await until(() => diary.settled.length === 3);
      const first = await scene.job(held);
      assert.deepEqual([first.attempt, first.claim_no, first.state], [1, 1, 'completed']);
      for (const id of ids) {
        // It never began under the first claim, so that one counts as no attempt and no crash.
        const { attempt, claim_no, errors } = await scene.job(id);
        assert.deepEqual([attempt, claim_no, errors], [1, 2, null]);
      }
    },
    rowlock,
  );
});
