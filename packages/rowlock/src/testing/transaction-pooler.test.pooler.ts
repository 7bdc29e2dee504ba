// Run by tools/test-pooler.mjs, which needs pgbouncer; not part of `npm test`.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client } from 'pg';
import { callerTransaction } from '../db/caller-transaction.js';
import { openDatabase } from '../db/database.js';
import type { Database } from '../db/executor.js';
import { checkSchema } from '../migrate/check-schema.js';
import { defineJob } from '../job/define.js';
import { type } from '../job/witness.js';
import { migrate } from '../migrate/migrate.js';
import { silentLogger } from '../observe/logger.js';
import { Rowlock } from '../rowlock.js';
import { bootTogether } from './boot-together.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { Gate } from './gate.js';
import { startPgbouncer, type Pgbouncer } from './pgbouncer.js';
import { rawStatement } from './raw-statement.js';
import { gatedMigrations } from './test-migration.js';
import { until } from './until.js';

const insert = rawStatement('insert into public.fact (n) values ($1) returning n');
const facts = rawStatement('select count(*) from public.fact');
const settings = [
  'transaction_isolation',
  'search_path',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
];
const current = `select ${settings.map((name) => `current_setting('${name}')`).join(', ')}`;
const ours = ['read committed', 'pg_catalog, pg_temp', '100ms', '10s'];

let server: TestDatabase;
let pooler: Pgbouncer;
let direct: Database;
let pooled: Database;

before(async () => {
  server = await createTestDatabase({ migrated: false });
  direct = openDatabase({ connectionString: server.url, schema: 'boot', maxConnections: 1 });
  await direct.run(rawStatement('create table public.fact (n int primary key)'), []);
  await direct.run(
    rawStatement(`alter database ${server.name} set default_transaction_isolation = 'repeatable read'`),
    [],
  );
  pooler = await startPgbouncer(server.url);
  pooled = openDatabase({ connectionString: pooler.url });
});

after(async () => {
  await pooled.close();
  await pooler.stop();
  await direct.close();
  await server.drop();
});

test('every transaction brings its settings, and leaves none on the session', async () => {
  assert.deepEqual(await pooled.run(rawStatement(current), []), [ours]);
  assert.deepEqual(await pooled.transaction((tx) => tx.run(rawStatement(current), [])), [ours]);
  const client = new Client({ connectionString: pooler.url });
  await client.connect();
  const { rows } = await client.query<string[]>({ text: current, rowMode: 'array' });
  await client.end();
  assert.deepEqual(rows, [['repeatable read', '"$user", public', '0', '0']]);
});

test('statements from all connections at once, failures among them', async () => {
  const calls = Array.from({ length: 200 }, (_, n) => pooled.run(insert, [n % 150]));
  const results = await Promise.allSettled(calls);
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 150);
  assert.deepEqual(await pooled.run(facts, []), [['150']]);
});

test('a transaction of the caller', async () => {
  const client = new Client({ connectionString: pooler.url });
  await client.connect();
  try {
    await assert.rejects(callerTransaction(client, 'rowlock').run(insert, [1000]), {
      code: 'NOT_A_TRANSACTION',
    });
    await client.query('begin');
    await callerTransaction(client, 'rowlock').run(insert, [1000]);
    await client.query('rollback');
  } finally {
    await client.end();
  }
  assert.deepEqual(await pooled.run(facts, []), [['150']]);
});

test('twenty processes boot at once on an empty database; three are killed while they migrate', async () => {
  const endings = await bootTogether({
    url: pooler.url,
    schema: 'boot',
    gate: await Gate.close(server.url),
    observer: direct,
    processes: 20,
    kills: 3,
  });
  assert.deepEqual(
    endings,
    Array.from({ length: 17 }, () => '0: '),
  );
  await checkSchema(direct, gatedMigrations);
});

test('the released migrations', async () => {
  await migrate(pooled);
  await checkSchema(pooled);
});

test('a worker with all defaults runs a thousand jobs and is woken by polling', async () => {
  const rowlock = new Rowlock({ connectionString: pooler.url, migrate: 'auto', logger: silentLogger });
  const seen = new Set<number>();
  const count = defineJob('count', { args: type<{ n: number }>() });
  try {
    const worker = rowlock.worker({ handlers: [count.handle(({ args }) => void seen.add(args.n))] });
    await worker.start();
    await rowlock.enqueueMany(Array.from({ length: 999 }, (_, n) => count.with({ n })));
    await until(() => seen.size === 999, { timeoutMs: 30_000 });
    await rowlock.enqueue(count, { n: 999 });
    await until(() => seen.size === 1000, { timeoutMs: 5000 });
    assert.equal(worker.health().listening, false);
    await worker.stop();
  } finally {
    await rowlock.close();
  }
  const states = await pooled.run(
    rawStatement('select state, count(*) from rowlock.jobs group by state'),
    [],
  );
  assert.deepEqual(states, [['completed', '1000']]);
});
