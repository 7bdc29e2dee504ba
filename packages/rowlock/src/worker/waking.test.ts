import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import pg from 'pg';
import { defineJob } from '../job/define.js';
import { Scene, type Shift } from '../testing/scene.js';
import { until } from '../testing/until.js';

const work = defineJob('work');
const handlers = [work.handle(() => undefined)];
/** Passes so seldom that they explain nothing. */
const onlyRings = { handlers, poll: { floorEvery: '1h' } } as const;

let scene: Scene;
before(async () => (scene = await Scene.open()));
after(() => scene.close());
beforeEach(() => scene.clear());

/** Until when, in microseconds, the register says that somebody waits. */
async function idleUntil(): Promise<bigint> {
  const [row] = await scene.rows<{ at: string }>('select last_value as at from rowlock.idle');
  return BigInt(row?.at ?? 0);
}

async function somebodyWaits(): Promise<void> {
  await until(async () => {
    const [row] = await scene.rows<{ waits: boolean }>(
      'select rowlock.somebody_waits(clock_timestamp()) as waits',
    );
    return row?.waits;
  });
}

/** The worker hears rings and enqueuers know it. */
async function waiting({ worker }: Shift): Promise<void> {
  await until(() => worker.health().listening);
  await somebodyWaits();
}

const soon = { timeoutMs: 1500 };

test('a ring wakes an idle worker', async () => {
  await scene.working(onlyRings, async (shift) => {
    await waiting(shift);
    for (let jobs = 1; jobs <= 5; jobs += 1) {
      await somebodyWaits();
      await shift.rowlock.enqueue(work);
      await until(() => shift.diary.settled.length === jobs, soon);
    }
  });
});

test('a worker that has been idle for long is still rung for', async () => {
  await scene.working(onlyRings, async (shift) => {
    await waiting(shift);
    for (let renewals = 0; renewals < 2; renewals += 1) {
      const before = await idleUntil();
      await until(async () => (await idleUntil()) > before);
    }
    await shift.rowlock.enqueue(work);
    await until(() => shift.diary.settled.length === 1, soon);
  });
});

test('the ring comes with the commit of a caller, not before', async () => {
  const tx = new pg.Client({ connectionString: scene.url });
  await tx.connect();
  await scene.working(onlyRings, async (shift) => {
    await waiting(shift);
    await tx.query('begin');
    const { id } = await shift.rowlock.enqueue(work, undefined, { tx });
    await tx.query('commit');
    await scene.untilState(id, 'completed', 1500);
  });
  await tx.end();
});

test('nobody is rung for while nobody waits', async () => {
  const listener = new pg.Client({ connectionString: scene.url });
  const heard: (string | undefined)[] = [];
  listener.on('notification', ({ payload }) => heard.push(payload));
  await listener.connect();
  await listener.query('listen "rowlock:rowlock"');
  await until(async () => {
    const [row] = await scene.rows<{ waits: boolean }>(
      'select rowlock.somebody_waits(clock_timestamp()) as waits',
    );
    return row?.waits === false;
  });
  await scene.client().enqueueMany([work.with(), work.with(undefined, { priority: 0 })]);
  await scene.sql.query(`select pg_notify('rowlock:rowlock', 'the end')`);
  await until(() => heard.includes('the end'));
  await listener.end();
  assert.deepEqual(heard, ['the end']);
});

test('a job that was enqueued without a ring is found by the next pass', async () => {
  await scene.working({ handlers }, async ({ rowlock, diary }) => {
    await rowlock.enqueue(work);
    await until(() => diary.settled.length === 1);
    await rowlock.enqueue(work, undefined, { wake: false });
    await until(() => diary.settled.length === 2, soon);
  });
});

test('a job whose transaction stayed open while later ones ran is found all the same', async () => {
  const tx = new pg.Client({ connectionString: scene.url });
  await tx.connect();
  await scene.working({ handlers }, async ({ rowlock, diary }) => {
    await tx.query('begin');
    const { id } = await rowlock.enqueue(work, undefined, { tx, wake: false });
    let later = 0;
    const [begun] = await scene.rows<{ at: Date }>('select clock_timestamp() as at');
    // More than one epoch, which is a second: heads and floors have moved past it if they ever do.
    await until(async () => {
      await rowlock.enqueue(work);
      later += 1;
      await until(() => diary.settled.length === later);
      const [now] = await scene.rows<{ passed: number }>(
        'select extract(epoch from clock_timestamp() - $1)::float8 as passed',
        [begun?.at],
      );
      return (now?.passed ?? 0) > 2.5;
    });
    await tx.query('commit');
    assert.equal((await scene.untilState(id, 'completed', 1500)).attempt, 1);
  });
  await tx.end();
});

test('a worker told to poll finds jobs by polling, and lets nobody ring for it', async () => {
  const before = await idleUntil();
  const poll = { mode: 'poll', min: '20ms', max: '100ms', floorEvery: '1h' } as const;
  await scene.working({ handlers, poll }, async ({ rowlock, diary }) => {
    for (let jobs = 1; jobs <= 3; jobs += 1) {
      await rowlock.enqueue(work, undefined, { wake: false });
      await until(() => diary.settled.length === jobs, soon);
    }
  });
  assert.equal(await idleUntil(), before);
});

test('a worker with only a pool finds jobs by polling', async () => {
  const pool = new pg.Pool({ connectionString: scene.url, max: 4 });
  const rowlock = scene.client({ pool });
  const poll = { max: '100ms', floorEvery: '1h' } as const;
  await scene.working(
    { handlers, poll },
    async ({ worker, diary }) => {
      await rowlock.enqueue(work, undefined, { wake: false });
      await until(() => diary.settled.length === 1, soon);
      const { lease, listening } = worker.health();
      assert.deepEqual({ lease, listening }, { lease: 'loop', listening: false });
    },
    rowlock,
  );
  await rowlock.close();
  assert.deepEqual((await pool.query('select 1 as still')).rows, [{ still: 1 }]);
  await pool.end();
});

test('rings missed while nobody listened are made good by one look, and later rings are heard again', async () => {
  await scene.working(onlyRings, async (shift) => {
    await waiting(shift);
    await scene.sql.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'rowlock helper' and datname = current_database()`,
    );
    await until(() => !shift.worker.health().listening);
    await shift.rowlock.enqueue(work);
    await until(() => shift.diary.settled.length === 1, { timeoutMs: 2000 });
    await waiting(shift);
    await shift.rowlock.enqueue(work);
    await until(() => shift.diary.settled.length === 2, soon);
  });
});

test('of many idle workers all jobs of a burst are run once', async () => {
  await scene.working({ handlers }, async (first) => {
    await scene.working({ handlers }, async (second) => {
      await scene.working({ handlers }, async (third) => {
        const shifts = [first, second, third];
        for (const shift of shifts) await waiting(shift);
        await first.rowlock.enqueueMany(Array.from({ length: 300 }, () => work.with()));
        await until(() => shifts.reduce((sum, { diary }) => sum + diary.settled.length, 0) === 300);
        const [row] = await scene.rows('select max(claim_no)::int as claims from rowlock.finished');
        assert.deepEqual(row, { claims: 1 });
      });
    });
  });
});
