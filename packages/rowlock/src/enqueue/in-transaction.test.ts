import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import pg from 'pg';
import { defineJob } from '../job/define.js';
import { Rowlock } from '../rowlock.js';
import { Scene } from '../testing/scene.js';
import { until } from '../testing/until.js';

const tick = defineJob('tick');
const ticks = (count: number) => Array.from({ length: count }, () => tick.with());

let scene: Scene;
let rowlock: Rowlock;
let pool: pg.Pool;

before(async () => {
  scene = await Scene.open();
  pool = new pg.Pool({ connectionString: scene.url, max: 3 });
});
after(async () => {
  await pool.end();
  await scene.close();
});
beforeEach(async () => {
  await scene.clear();
  rowlock = scene.client();
});

async function jobCount(): Promise<number> {
  const [row] = await scene.rows<{ jobs: number }>('select count(*)::int as jobs from rowlock.job');
  return row?.jobs ?? NaN;
}

/** A client of the pool on which `begin` was called; given back afterwards. */
async function inTransaction(begin: string, work: (tx: pg.PoolClient) => Promise<void>): Promise<void> {
  const tx = await pool.connect();
  try {
    await tx.query(begin);
    await work(tx);
  } finally {
    await tx.query('rollback');
    tx.release();
  }
}

test('jobs exist once the transaction of the caller commits, and not before', async () => {
  await inTransaction('begin', async (tx) => {
    const { id } = await rowlock.enqueue(tick, undefined, { tx });
    const { ids } = await rowlock.enqueueMany(ticks(3), { tx });
    assert.equal(new Set([id, ...ids]).size, 4);
    assert.equal(await jobCount(), 0);
    await tx.query('commit');
    assert.equal(await jobCount(), 4);
  });
});

test('jobs of a transaction that rolls back never were', async () => {
  await inTransaction('begin', async (tx) => {
    await rowlock.enqueueMany(ticks(12_000), { tx });
    await tx.query('rollback');
    assert.equal(await jobCount(), 0);
  });
});

test('jobs follow the savepoints of the caller', async () => {
  await inTransaction('begin', async (tx) => {
    await rowlock.enqueue(tick, undefined, { tx });
    await tx.query('savepoint s');
    await rowlock.enqueue(tick, undefined, { tx });
    await tx.query('rollback to s');
    await tx.query('commit');
    assert.equal(await jobCount(), 1);
  });
});

test('a transaction of any isolation level may enqueue', async () => {
  for (const level of ['repeatable read', 'serializable']) {
    await inTransaction(`begin isolation level ${level}`, async (tx) => {
      await tx.query('select 1');
      await rowlock.enqueue(tick, undefined, { tx });
      await tx.query('commit');
    });
  }
  assert.equal(await jobCount(), 2);
});

test('a job may run from the moment of the call on, not from the begin of its transaction', async () => {
  await inTransaction('begin', async (tx) => {
    await tx.query('select 1');
    await rowlock.enqueue(tick, undefined, { tx });
    const { rows } = await tx.query(
      'select run_at > now() as later, run_at <= clock_timestamp() as past from rowlock.job',
    );
    assert.deepEqual(rows, [{ later: true, past: true }]);
  });
});

test('the session of the caller is left as it was', async () => {
  await inTransaction('begin', async (tx) => {
    const text = 'select name, setting from pg_settings order by name';
    const { rows: before } = await tx.query(text);
    await rowlock.enqueue(tick, undefined, { tx });
    const { rows: later } = await tx.query(text);
    assert.deepEqual(later, before);
  });
});

test('a pool is no transaction, nor is a client without one, nor one whose transaction has ended', async () => {
  const refused = { code: 'NOT_A_TRANSACTION' };
  await assert.rejects(rowlock.enqueue(tick, undefined, { tx: pool }), refused);
  await assert.rejects(rowlock.enqueueMany(ticks(2), { tx: pool }), refused);
  await assert.rejects(rowlock.enqueue(tick, undefined, { tx: {} as never }), refused);
  const tx = await pool.connect();
  await assert.rejects(rowlock.enqueue(tick, undefined, { tx }), refused);
  await tx.query('begin');
  await tx.query('commit');
  await assert.rejects(rowlock.enqueue(tick, undefined, { tx }), refused);
  tx.release();
  assert.equal(await jobCount(), 0);
});

test('a `tx` that is undefined is refused: its job would be stored outside the transaction', async () => {
  const refused = {
    code: 'NOT_A_TRANSACTION',
    message: '`tx` is undefined: leave it out to enqueue outside a transaction',
  };
  const options = { tx: undefined } as object;
  await assert.rejects(rowlock.enqueue(tick, undefined, options), refused);
  await assert.rejects(rowlock.enqueueMany(ticks(2), options), refused);
  await assert.rejects(rowlock.enqueueMany([], options), refused);
  assert.equal(await jobCount(), 0);
});

test('a transaction that has failed already is told apart', async () => {
  await inTransaction('begin', async (tx) => {
    await assert.rejects(tx.query('select 1 / 0'));
    await assert.rejects(rowlock.enqueue(tick, undefined, { tx }), { code: 'TRANSACTION_ABORTED' });
  });
});

test('a call that is refused before the database is touched leaves the transaction usable', async () => {
  await inTransaction('begin', async (tx) => {
    await assert.rejects(rowlock.enqueue(tick, undefined, { tx, priority: 11 }), { code: 'CONFIG_INVALID' });
    await rowlock.enqueue(tick, undefined, { tx });
    await tx.query('commit');
    assert.equal(await jobCount(), 1);
  });
});

test('statements of the caller that were sent but not awaited are kept in their order', async () => {
  await inTransaction('begin', async (tx) => {
    const sent = [tx.query('savepoint s'), rowlock.enqueue(tick, undefined, { tx }), tx.query('select 1')];
    await Promise.all(sent);
    await tx.query('commit');
    assert.equal(await jobCount(), 1);
  });
});

test('a call without wake rings no bell, so that the transaction may be prepared for a later commit', async () => {
  const elsewhere = defineJob('elsewhere', { queue: 'elsewhere' });
  const listener = new pg.Client({ connectionString: scene.url });
  const heard: unknown[] = [];
  listener.on('notification', ({ payload }) => heard.push((JSON.parse(String(payload)) as unknown[])[0]));
  await listener.connect();
  try {
    await scene.working({ handlers: [elsewhere.handle(() => undefined)] }, async ({ worker }) => {
      await until(() => worker.health().listening);
      await until(async () => {
        const waits = 'select last_value > rowlock.to_us(clock_timestamp()) as waits from rowlock.idle';
        return (await scene.rows<{ waits: boolean }>(waits))[0]?.waits;
      });
      await listener.query('listen "rowlock:rowlock"');
      await inTransaction('begin', async (tx) => {
        await rowlock.enqueue(tick, undefined, { tx, wake: false, queue: 'silent' });
        await tx.query('commit');
      });
      await rowlock.enqueue(tick, undefined, { queue: 'told' });
      await until(() => heard.includes('told'));
      assert.equal(heard.includes('silent'), false);
    });
  } finally {
    await listener.end();
  }
});

test('a client on the pool of the caller needs no second connection of it, for the first call neither', async () => {
  const single = new pg.Pool({ connectionString: scene.url, max: 1 });
  try {
    for (const migrate of ['check', 'auto'] as const) {
      const client = new Rowlock({ pool: single, migrate });
      const tx = await single.connect();
      await tx.query('begin');
      await client.enqueue(tick, undefined, { tx });
      await tx.query('commit');
      tx.release();
      await client.close();
    }
  } finally {
    await single.end();
  }
  assert.equal(await jobCount(), 2);
});
