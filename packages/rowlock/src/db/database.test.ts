import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../testing/database.js';
import { rawStatement } from '../testing/raw-statement.js';
import { openDatabase } from './database.js';
import type { Database } from './executor.js';

const settings =
  rawStatement(`select current_setting('transaction_isolation'), current_setting('search_path'), current_setting('lock_timeout'),
  current_setting('idle_in_transaction_session_timeout'), current_setting('jit')`);
const ours = ['read committed', 'pg_catalog, pg_temp', '100ms', '10s', 'off'];
const insert = rawStatement('insert into public.fact (n) values ($1) returning n');
const facts = rawStatement('select n from public.fact order by n');

let server: TestDatabase;
let database: Database;

before(async () => {
  server = await createTestDatabase({ migrated: false });
  database = openDatabase({ connectionString: server.url });
  await database.run(rawStatement('create table public.fact (n int primary key)'), []);
  // What an administrator may have set for the role or the database must not reach the engine.
  await database.run(
    rawStatement(`alter database ${server.name} set default_transaction_isolation = 'repeatable read'`),
    [],
  );
  await database.run(rawStatement(`alter database ${server.name} set search_path = 'elsewhere'`), []);
  await database.close();
  database = openDatabase({ connectionString: server.url });
});

after(async () => {
  await database.close();
  await server.drop();
});

test('values go and come as text, null as null', async () => {
  const echo = rawStatement('select $1::int, $2::text, $3::boolean, $4::int[], $5::jsonb');
  const rows = await database.run(echo, [7, "it's", true, '{1,2}', null]);
  assert.deepEqual(rows, [['7', "it's", 't', '{1,2}', null]]);
});

test('a session of ours has its own settings, in and outside a transaction', async () => {
  assert.deepEqual(await database.run(settings, []), [ours]);
  assert.deepEqual(await database.transaction((tx) => tx.run(settings, [])), [ours]);
});

test('a transaction commits what resolves and rolls back what rejects', async () => {
  assert.deepEqual(await database.transaction((tx) => tx.run(insert, [1])), [['1']]);
  const failure = new Error('handler failed');
  await assert.rejects(
    database.transaction(async (tx) => {
      await tx.run(insert, [2]);
      throw failure;
    }),
    failure,
  );
  assert.deepEqual(await database.run(facts, []), [['1']]);
});

test('a failed statement that the work swallowed is no commit', async () => {
  const work = database.transaction(async (tx) => {
    await tx.run(insert, [1]).catch(() => undefined);
  });
  await assert.rejects(work, { code: 'TRANSACTION_ABORTED' });
  await assert.rejects(database.run(insert, [1]), { code: '23505' });
  assert.deepEqual(await database.run(facts, []), [['1']]);
});

test('a statement that outlives its transaction is refused', async () => {
  const escaped = await database.transaction((tx) => Promise.resolve(tx));
  await assert.rejects(escaped.run(facts, []), { code: 'NOT_A_TRANSACTION' });
});

test('a pool of the caller keeps its sessions as they are', async () => {
  const pool = new Pool({ connectionString: server.url, max: 1 });
  const foreign = openDatabase({ pool });
  try {
    const show =
      "select current_setting('transaction_isolation'), current_setting('search_path'), current_setting('lock_timeout')";
    assert.deepEqual(await foreign.run(settings, []), [ours]);
    assert.deepEqual(await foreign.transaction((tx) => tx.run(settings, [])), [ours]);
    await assert.rejects(foreign.run(insert, [1]), { code: '23505' });
    assert.deepEqual(await foreign.run(insert, [3]), [['3']]);
    const { rows } = await pool.query<string[]>({ text: show, rowMode: 'array' });
    assert.deepEqual(rows, [['repeatable read', 'elsewhere', '0']]);
    await foreign.close();
    assert.equal((await pool.query('select')).rowCount, 1);
    assert.equal(pool.listenerCount('error'), 0);
  } finally {
    await pool.end();
  }
});

test('a schema name that PostgreSQL would cut is refused', () => {
  assert.throws(() => openDatabase({ schema: 'x'.repeat(64) }), RangeError);
  assert.throws(() => openDatabase({ schema: '' }), RangeError);
});

test('a closed database says so', async () => {
  const closed = openDatabase({ connectionString: server.url });
  await closed.run(facts, []);
  await Promise.all([closed.close(), closed.close()]);
  await assert.rejects(closed.run(facts, []), { code: 'CLIENT_CLOSED' });
});
