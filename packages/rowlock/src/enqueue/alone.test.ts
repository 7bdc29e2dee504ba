import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import pg from 'pg';
import { defineJob } from '../job/define.js';
import { type } from '../job/witness.js';
import { Scene } from '../testing/scene.js';
import { until } from '../testing/until.js';

const mail = defineJob('mail', { args: type<{ to: string }>(), queue: 'post', priority: 3 });

let scene: Scene;
let listener: pg.Client;
const heard: string[] = [];

before(async () => {
  scene = await Scene.open();
  listener = new pg.Client({ connectionString: scene.url });
  await listener.connect();
  listener.on('notification', ({ payload }) => heard.push(payload ?? ''));
  await listener.query('listen "rowlock:rowlock"');
});

after(async () => {
  await listener.end();
  await scene.close();
});

beforeEach(async () => {
  await scene.clear();
  await silence();
});

/** Rings arrive in the order of their commits: once this one is here, none of an earlier test is still on its way. */
async function silence(): Promise<void> {
  const last = randomUUID();
  await scene.sql.query(`select pg_notify('rowlock:rowlock', $1)`, [last]);
  await until(() => heard.includes(last));
  heard.length = 0;
}

/** As a worker that waits would set the register. */
async function somebodyWaits(seconds = 60): Promise<void> {
  await scene.sql.query(
    `select setval('rowlock.idle', rowlock.to_us(clock_timestamp() + $1 * interval '1 second'))`,
    [seconds],
  );
}

test('the ring for a lone job names it', async () => {
  await somebodyWaits();
  const rowlock = scene.client();
  const { id } = await rowlock.enqueue(mail, { to: 'ann' });
  await until(() => heard.length === 1);
  const [queue, runAt, count, , named] = JSON.parse(heard[0] ?? '') as unknown[];
  const { rows } = await scene.sql.query<{ us: string }>(
    'select rowlock.to_us(run_at)::text as us from rowlock.job',
  );
  assert.deepEqual([queue, String(runAt), count, named], ['post', rows[0]?.us, 1, id]);
});

test('several jobs are rung for without names, and nobody is where nobody waits', async () => {
  const rowlock = scene.client();
  await scene.sql.query(`select setval('rowlock.idle', 0)`);
  await rowlock.enqueue(mail, { to: 'ann' });
  await somebodyWaits();
  await rowlock.enqueueMany(['ben', 'cem'].map((to) => mail.with({ to })));
  await until(() => heard.length > 0);
  assert.deepEqual((JSON.parse(heard[0] ?? '') as unknown[]).slice(4), [null]);
  assert.equal(heard.length, 1);
});

test('a lone job is stored as it was asked for, whoever waits', async () => {
  for (const waits of [0, 60]) {
    await scene.clear();
    await somebodyWaits(waits);
    const rowlock = scene.client();
    const policy = { maxAttempts: 2 };
    const { id } = await rowlock.enqueue(mail, { to: 'ann' }, { ...policy, delay: '1h', priority: 1 });
    const { rows } = await scene.sql.query(
      `select id::text, queue, kind, priority, args, policy, attempt, claim_no, parked,
        round(extract(epoch from run_at - created_at))::integer as delay from rowlock.job`,
    );
    assert.deepEqual(rows, [
      {
        ...{ id, queue: 'post', kind: 'mail', priority: 1, args: { to: 'ann' }, policy },
        ...{ attempt: 0, claim_no: 0, parked: false, delay: 3600 },
      },
    ]);
  }
});

test('the call returns once the log is on disk up to the commit, though the ring did not wait for that', async () => {
  await scene.sql.query(`
    create table public.written (at pg_lsn);
    create function note() returns trigger language plpgsql as $$ begin
      insert into public.written values (pg_current_wal_insert_lsn());
      return null;
    end $$;
    create constraint trigger note after insert on rowlock.job deferrable initially deferred for each row execute function note()`);
  try {
    await somebodyWaits();
    const rowlock = scene.client();
    for (let n = 0; n < 20; n += 1) {
      await rowlock.enqueue(mail, { to: 'ann' });
      const { rows } = await scene.sql.query<{ safe: boolean }>(
        'select bool_and(at < pg_current_wal_flush_lsn()) as safe from public.written',
      );
      assert.deepEqual(rows, [{ safe: true }]);
    }
  } finally {
    await scene.sql.query(
      'drop trigger note on rowlock.job; drop function note(); drop table public.written',
    );
  }
});

test('with a pool of the caller, where each statement is in a transaction, lone jobs are stored and rung for too', async () => {
  await somebodyWaits();
  const pool = new pg.Pool({ connectionString: scene.url });
  try {
    const rowlock = scene.client({ pool });
    for (const to of ['ann', 'ben']) await rowlock.enqueue(mail, { to });
    await until(() => heard.length === 2);
    const { rowCount } = await scene.sql.query('select from rowlock.job');
    assert.equal(rowCount, 2);
  } finally {
    await pool.end();
  }
});

test('a job that the server refuses is refused alone, and leaves nothing', async () => {
  await somebodyWaits();
  await scene.sql.query(`alter table rowlock.job add constraint no_eve check (args->>'to' <> 'eve')`);
  try {
    const rowlock = scene.client();
    await assert.rejects(rowlock.enqueue(mail, { to: 'eve' }), { code: '23514' });
    await rowlock.enqueue(mail, { to: 'ann' });
    const { rows } = await scene.sql.query(`select args->>'to' as to from rowlock.job`);
    assert.deepEqual(rows, [{ to: 'ann' }]);
  } finally {
    await scene.sql.query('alter table rowlock.job drop constraint no_eve');
  }
});

test('the ring for a job that was given back names it, unless it was parked: by name nobody would get it', async () => {
  const rowlock = scene.client();
  await scene.sql.query(`select setval('rowlock.idle', 0)`);
  const [released, parked] = [
    await rowlock.enqueue(mail, { to: 'ann' }),
    await rowlock.enqueue(mail, { to: 'ben' }),
  ];
  await scene.sql.query('update rowlock.job set claimed_by = 1, claim_no = 1, attempt = 1');
  await somebodyWaits();
  for (const [{ id }, outcome] of [
    [released, 'release'],
    [parked, 'park'],
  ] as const)
    await scene.sql.query('select rowlock.settle($1, 1, $2)', [id, { outcome }]);
  await until(() => heard.length === 2);
  assert.deepEqual(
    heard.map((payload) => (JSON.parse(payload) as unknown[])[4]),
    [released.id, null],
  );
});
