import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { defineJob } from '../job/define.js';
import { deferred, type Deferred } from '../runtime/deferred.js';
import { Scene, type Shift } from '../testing/scene.js';
import { until } from '../testing/until.js';

/** A second, and as much again for a machine with more to do. */
const soon = { timeoutMs: 2000 };

const slow = defineJob('slow');
const quick = defineJob('quick');
let goOn: Deferred<void>;

let scene: Scene;
before(async () => (scene = await Scene.open()));
after(() => scene.close());
beforeEach(async () => {
  await scene.clear();
  goOn = deferred();
});

const handlers = [slow.handle(() => goOn.promise), quick.handle(() => undefined)];

function started({ diary }: Shift, kind: string): number {
  return diary.started.filter((event) => event.kind === kind).length;
}

/** Once every claim that was under way or sleeping at the time of the pause is over. */
async function afterTheNextPass(): Promise<void> {
  const passes = async (): Promise<number> => {
    const [row] = await scene.rows<{ calls: number }>(
      `select xact_commit::int as calls from pg_stat_database where datname = current_database()`,
    );
    return row?.calls ?? 0;
  };
  const before = await passes();
  await until(async () => (await passes()) > before + 20);
}

test('a paused queue starts nothing, leaves running jobs alone, and goes on when resumed', async () => {
  await scene.working({ handlers }, async (shift) => {
    const { rowlock, diary } = shift;
    await rowlock.enqueue(slow);
    await until(() => started(shift, 'slow') === 1);
    await rowlock.queues.pause('default');
    const { id } = await rowlock.enqueue(quick);
    await afterTheNextPass();
    assert.deepEqual([(await scene.job(id)).state, started(shift, 'quick')], ['available', 0]);
    goOn.resolve();
    await until(() => diary.settled.length === 1);
    assert.equal(diary.settled[0]?.state, 'completed');
    await rowlock.queues.resume('default');
    await until(() => diary.settled.length === 2, soon);
    assert.equal((await scene.job(id)).claim_no, 1);
  });
});

test('a paused kind is left alone while others of its queue run, and goes on when resumed', async () => {
  await scene.working({ handlers, queues: { default: { concurrency: 2 } } }, async (shift) => {
    const { rowlock, diary } = shift;
    await rowlock.kinds.pause('slow');
    await until(async () => {
      // Until the worker has heard of it, a job of the kind may still start.
      const { id } = await rowlock.enqueue(slow);
      await until(async () => (await scene.job(id)).parked || started(shift, 'slow') > 0);
      goOn.resolve();
      return (await scene.job(id).catch(() => undefined))?.parked;
    });
    const before = started(shift, 'slow');
    await rowlock.enqueueMany(Array.from({ length: 50 }, () => slow.with()));
    await rowlock.enqueueMany(Array.from({ length: 50 }, () => quick.with()));
    await until(
      () =>
        diary.settled.filter(({ kind, state }) => kind === 'quick' && state === 'completed').length === 50,
    );
    assert.equal(started(shift, 'slow'), before);
    // What was claimed all the same is on its way back, with its attempt.
    await until(async () => (await scene.rows('select from rowlock.job where attempt > 0')).length === 0);
    assert.ok((await scene.rows('select from rowlock.job')).length >= 50);
    await rowlock.kinds.resume('slow');
    await until(async () => (await scene.rows('select from rowlock.job')).length === 0, soon);
  });
});

test('a queue may be paused before anybody serves it; a kind is known once a worker has defined it', async () => {
  const rowlock = scene.client();
  await rowlock.queues.pause('default');
  await assert.rejects(rowlock.kinds.pause('slwo'), {
    code: 'CONFIG_INVALID',
    message:
      'name is of no kind that a worker has defined (got "slwo"): check the spelling, or start its worker first',
  });
  const { id } = await rowlock.enqueue(quick);
  await scene.working({ handlers }, async () => {
    await afterTheNextPass();
    assert.equal((await scene.job(id)).state, 'available');
    await rowlock.queues.resume('default');
    await scene.untilState(id, 'completed', 2000);
  });
});

test('another queue is not concerned by a pause', async () => {
  const elsewhere = defineJob('elsewhere', { queue: 'other' });
  const all = [...handlers, elsewhere.handle(() => undefined)];
  await scene.working({ handlers: all }, async ({ rowlock }) => {
    await rowlock.queues.pause('default');
    const { id } = await rowlock.enqueue(elsewhere);
    await scene.untilState(id, 'completed');
  });
});

test('what cannot be a name is not paused; a definition stands for its kind', async () => {
  const rowlock = scene.client();
  for (const { pause, resume } of [rowlock.queues, rowlock.kinds] as const) {
    for (const [name, got] of [
      [5, '5'],
      [undefined, 'undefined'],
      [{}, 'an object'],
    ] as const) {
      const refused = {
        code: 'CONFIG_INVALID',
        field: 'name',
        message: `name must be a string (got ${got})`,
      };
      await assert.rejects(pause(name as never), refused);
      await assert.rejects(resume(name as never), refused);
    }
  }
  await assert.rejects(rowlock.queues.pause(''), { code: 'CONFIG_INVALID', field: 'name' });
  await scene.working({ handlers }, async () => {
    const paused = (): Promise<object[]> => scene.rows('select name from rowlock.kind where paused');
    await rowlock.kinds.pause(quick);
    assert.deepEqual(await paused(), [{ name: 'quick' }]);
    await rowlock.kinds.resume(quick);
    assert.deepEqual(await paused(), []);
  });
});
