import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import pg from 'pg';
import { callerTransaction } from '../db/caller-transaction.js';
import type { Database } from '../db/executor.js';
import { openDatabase } from '../db/database.js';
import { enqueue, registerTestWorker } from '../testing/claims.js';
import type { TestDatabase } from '../testing/database.js';
import { createTestDatabase } from '../testing/database.js';
import { LaneProcess } from '../testing/lane-process.js';
import { rawStatement } from '../testing/raw-statement.js';
import { until } from '../testing/until.js';

let testDatabase: TestDatabase;
let database: Database;
let workerId: string;
let producer: pg.Client;

before(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({ connectionString: testDatabase.url });
  workerId = await registerTestWorker(database);
  producer = new pg.Client({ connectionString: testDatabase.url });
  await producer.connect();
});

after(async () => {
  await producer.end();
  await database.close();
  await testDatabase.drop();
});

afterEach(async () => {
  await producer.query('rollback');
  await database.run(rawStatement('truncate rowlock.job'), []);
});

const second = rawStatement("select floor(date_part('epoch', clock_timestamp()))::bigint::text");
const readSecond = async (): Promise<number> => Number((await database.run(second, []))[0]?.[0]);

/** Until the database's clock shows a later second: its epoch can be closed. */
async function nextSecond(): Promise<void> {
  const now = await readSecond();
  await until(async () => (await readSecond()) > now, { what: 'the second has passed' });
}

test('no floor rises above a job that is not committed yet, and a claim from the floor finds it', async () => {
  const process = new LaneProcess(database, workerId);
  await producer.query('begin');
  const [late] = await enqueue(callerTransaction(producer, 'rowlock'), {});
  const began = await readSecond();
  await enqueue(database, {}, {}, {});
  assert.equal((await process.claim()).length, 3);
  for (let round = 0; round < 2; round += 1) {
    await nextSecond();
    await process.pass();
    await process.pass();
  }
  assert.ok(process.floor > 0, 'the floor has risen to the open epoch');
  assert.ok(process.floor < (began + 1) * 1_000_000);
  await producer.query('commit');
  assert.deepEqual(await process.claim(), [], 'the head is beyond it');
  assert.deepEqual(
    (await process.claimFromFloor()).map(({ id }) => id),
    [late],
  );
});

test('a floor rises at once when nobody holds an epoch', async () => {
  const process = new LaneProcess(database, workerId);
  await process.pass();
  await nextSecond();
  await process.pass();
  await process.pass();
  assert.ok(process.floor >= ((await readSecond()) - 1) * 1_000_000 - 1);
});

test('a pass trusts the epochs that an earlier one closed, not those it closes itself', async () => {
  const process = new LaneProcess(database, workerId);
  await process.pass();
  const [id] = await enqueue(database, {});
  await nextSecond();
  await process.pass();
  assert.deepEqual(
    (await process.claimFromFloor()).map((claim) => claim.id),
    [id],
  );
});

test('a row that a claim has locked holds the floor: the claim may roll back', async () => {
  const process = new LaneProcess(database, workerId);
  await process.pass();
  const [id] = await enqueue(database, {});
  await producer.query('begin');
  await producer.query(
    `update rowlock.job set claimed_by = ${workerId}, claim_no = claim_no + 1 where id = ${String(id)}`,
  );
  for (let round = 0; round < 2; round += 1) {
    await nextSecond();
    await process.pass();
  }
  await process.pass();
  await producer.query('rollback');
  assert.deepEqual(
    (await process.claimFromFloor()).map((claim) => claim.id),
    [id],
  );
});

const holdEpoch =
  "select pg_advisory_lock(rowlock.epoch_class(), rowlock.epoch_key(floor(date_part('epoch', clock_timestamp()))::bigint))";
const waitsForEpoch = rawStatement(
  "select 1 from pg_locks where locktype = 'advisory' and not granted and classid = rowlock.epoch_class()::oid",
);
const holdsItsOwn = `select count(*)::integer as held from rowlock.job j join pg_locks l
  on l.locktype = 'advisory' and l.granted and l.pid = pg_backend_pid() and l.objid = rowlock.epoch_key(floor(date_part('epoch', j.run_at))::bigint)::oid`;

test('an enqueue that had to wait past its second holds the epoch of its stamp', async () => {
  const holder = new pg.Client({ connectionString: testDatabase.url });
  await holder.connect();
  try {
    await nextSecond();
    await holder.query(holdEpoch);
    await producer.query('begin');
    const enqueued = enqueue(callerTransaction(producer, 'rowlock'), {});
    await until(async () => (await database.run(waitsForEpoch, [])).length > 0, {
      what: 'the enqueue waits',
    });
    await nextSecond();
    await holder.query('select pg_advisory_unlock_all()');
    await enqueued;
    const { rows } = await producer.query<{ held: number }>(holdsItsOwn);
    assert.deepEqual(rows, [{ held: 1 }]);
  } finally {
    await holder.end();
  }
});
