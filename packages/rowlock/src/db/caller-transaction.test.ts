import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client, Pool } from 'pg';
import { hasCode } from '../job/errors.js';
import { createTestDatabase, type TestDatabase } from '../testing/database.js';
import { rawStatement } from '../testing/raw-statement.js';
import { callerTransaction, type PgTransaction } from './caller-transaction.js';

const insert = rawStatement('insert into public.fact (n) values ($1) returning n');

let server: TestDatabase;
let client: Client;

before(async () => {
  server = await createTestDatabase({ migrated: false });
  client = new Client({ connectionString: server.url });
  await client.connect();
  await client.query('create table public.fact (n int primary key)');
});

after(async () => {
  await client.end();
  await server.drop();
});

/** As `pg` before 8.23 looks. */
function older(newer: Client): PgTransaction {
  return { query: (request) => newer.query(request) };
}

const shapes: [string, () => PgTransaction][] = [
  ['a client', () => client],
  ['a client of an older driver', () => older(client)],
];

for (const [name, tx] of shapes) {
  test(`${name}: in its transaction, gone with its rollback`, async () => {
    await client.query('begin');
    assert.deepEqual(await callerTransaction(tx(), 'rowlock').run(insert, [1]), [['1']]);
    await client.query('rollback');
    assert.equal((await client.query('select from public.fact')).rowCount, 0);
  });

  test(`${name}: outside a transaction, before it and after it`, async () => {
    await assert.rejects(callerTransaction(tx(), 'rowlock').run(insert, [2]), { code: 'NOT_A_TRANSACTION' });
    await client.query('begin');
    await client.query('commit');
    await assert.rejects(callerTransaction(tx(), 'rowlock').run(insert, [2]), { code: 'NOT_A_TRANSACTION' });
    assert.equal((await client.query('select from public.fact')).rowCount, 0);
  });

  test(`${name}: an aborted transaction is named, and stays the caller's to end`, async () => {
    await client.query('begin');
    await assert.rejects(client.query('select 1 / 0'));
    await assert.rejects(callerTransaction(tx(), 'rowlock').run(insert, [3]), {
      code: 'TRANSACTION_ABORTED',
    });
    await client.query('rollback');
  });

  test(`${name}: a begin that is still under way counts`, async () => {
    const beginning = client.query('begin');
    assert.deepEqual(await callerTransaction(tx(), 'rowlock').run(insert, [4]), [['4']]);
    await beginning;
    await client.query('rollback');
  });

  test(`${name}: errors of the statement are the caller's own, and a savepoint saves it`, async () => {
    await client.query('begin');
    await client.query('savepoint before_the_job');
    const executor = callerTransaction(tx(), 'rowlock');
    await executor.run(insert, [5]);
    await assert.rejects(executor.run(insert, [5]), { code: '23505' });
    await client.query('rollback to before_the_job');
    assert.deepEqual(await executor.run(insert, [6]), [['6']]);
    await client.query('rollback');
  });
}

test('a client of a pool is taken, its pool is not', async () => {
  const pool = new Pool({ connectionString: server.url, max: 1 });
  const poolClient = await pool.connect();
  try {
    assert.throws(() => callerTransaction(pool, 'rowlock'), {
      code: 'NOT_A_TRANSACTION',
      message: /is a pool/,
    });
    await poolClient.query('begin');
    assert.deepEqual(await callerTransaction(poolClient, 'rowlock').run(insert, [7]), [['7']]);
    await poolClient.query('rollback');
  } finally {
    poolClient.release();
    await pool.end();
  }
});

test('what is no client at all is refused', () => {
  for (const tx of [undefined, null, {}, 'tx']) {
    assert.throws(() => callerTransaction(tx as never, 'rowlock'), { code: 'NOT_A_TRANSACTION' });
  }
});

test('a client that was never connected is refused: it would wait for ever', () => {
  assert.throws(() => callerTransaction(new Client({ connectionString: server.url }), 'rowlock'), {
    code: 'NOT_A_TRANSACTION',
    message: '`tx` is not connected: await client.connect(), then begin a transaction',
  });
});

test('a client that has ended is refused, with what the driver says', async () => {
  for (const shape of [(ended: Client): PgTransaction => ended, older]) {
    const ended = new Client({ connectionString: server.url });
    await ended.connect();
    await ended.query('begin');
    await ended.end();
    await assert.rejects(callerTransaction(shape(ended), 'rowlock').run(insert, [8]), (error: Error) => {
      assert.match(error.message, /^`tx` is no longer connected: /);
      assert.ok(hasCode(error, 'NOT_A_TRANSACTION') && error.cause instanceof Error);
      assert.match(error.cause.message, /is not queryable$/);
      return true;
    });
  }
});
