import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import type { Database } from '../db/executor.js';
import { openDatabase } from '../db/database.js';
import { deferred } from '../runtime/deferred.js';
import { endWorker, takeOverClaims } from '../sql/generated/statements.gen.js';
import { claim, enqueue, registerTestWorker, settleByFact } from '../testing/claims.js';
import type { TestDatabase } from '../testing/database.js';
import { createTestDatabase } from '../testing/database.js';
import { rawStatement } from '../testing/raw-statement.js';
import type { Claim } from '../worker/claim.js';
import { fencesOf } from '../worker/claim.js';
import { rescuePages, sweep } from './rescue.js';

const allPages = 1_000_000;

let testDatabase: TestDatabase;
let database: Database;
let workerId: string;

before(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({ connectionString: testDatabase.url });
});

after(async () => {
  await database.close();
  await testDatabase.drop();
});

beforeEach(async () => {
  workerId = await registerTestWorker(database);
});

afterEach(async () => {
  await database.run(rawStatement('truncate rowlock.job'), []);
});

const end = (): Promise<unknown> => database.run(endWorker, { workerId, swept: false, unstarted: false });
const waiting = rawStatement(
  'select id::text, attempt::text, crashes::text from rowlock.job where claimed_by is null order by id',
);

test('the jobs of a dead worker go back; those of a living one stay', async () => {
  const [dead] = await enqueue(database, {});
  const claimed = await claim(database, workerId);
  const living = await registerTestWorker(database);
  await enqueue(database, {});
  await claim(database, living);
  await end();
  assert.deepEqual(await sweep(database), { jobs: 1, discarded: 0 });
  assert.deepEqual(await database.run(waiting, []), [[dead, '1', '1']]);
  assert.deepEqual(
    (await settleByFact(database, claimed, { outcome: 'completed' })).map(({ answer }) => answer),
    ['refused'],
  );
});

test('what was claimed for an id whose process went on never began: it goes back unharmed', async () => {
  const [id] = await enqueue(database, { policy: { maxAttempts: 1 } });
  await claim(database, workerId);
  await database.run(endWorker, { workerId, swept: false, unstarted: true });
  assert.deepEqual(await sweep(database), { jobs: 1, discarded: 0 });
  assert.deepEqual(await database.run(waiting, []), [[id, '0', '0']]);
});

test('what comes back so a hundred times may be the reason: it counts as a crash, and never as an attempt', async () => {
  const [id] = await enqueue(database, { policy: { maxAttempts: 1, maxCrashes: 2 } });
  await database.run(rawStatement('update rowlock.job set claim_no = 99'), []);
  for (const expected of [[id, '0', '0'], [id, '0', '1'], undefined]) {
    workerId = await registerTestWorker(database);
    assert.equal((await claim(database, workerId)).length, 1);
    await database.run(endWorker, { workerId, swept: false, unstarted: true });
    await sweep(database);
    assert.deepEqual((await database.run(waiting, []))[0], expected);
  }
});

test('a claim that commits after its worker was marked and swept for is found by the lap', async () => {
  const [id] = await enqueue(database, {});
  const claimed = deferred<Claim[]>();
  const committing = deferred();
  const transaction = database.transaction(async (tx) => {
    claimed.resolve(await claim(tx, workerId));
    await committing.promise;
  });
  assert.equal((await claimed.promise).length, 1);
  await end();
  assert.equal((await sweep(database)).jobs, 0);
  committing.resolve();
  await transaction;
  assert.equal((await sweep(database)).jobs, 0, 'the sweep is over: nobody waits for another');
  assert.equal((await rescuePages(database, 0, allPages)).jobs, 1);
  assert.deepEqual(await database.run(waiting, []), [[id, '1', '1']]);
});

test('claims that a living worker took over are not rescued', async () => {
  await enqueue(database, {});
  const claimed = await claim(database, workerId);
  const next = await registerTestWorker(database);
  const fences = fencesOf(claimed);
  assert.equal(
    (await database.run(takeOverClaims, { ...fences, fromWorkerId: workerId, toWorkerId: next })).length,
    1,
  );
  assert.equal(
    (await database.run(takeOverClaims, { ...fences, fromWorkerId: workerId, toWorkerId: workerId })).length,
    0,
  );
  await end();
  assert.equal((await rescuePages(database, 0, allPages)).jobs, 0);
  assert.deepEqual(
    (await settleByFact(database, claimed, { outcome: 'completed' })).map(({ answer }) => answer),
    ['settled'],
  );
});

const senseless = [
  '[]',
  '{"maxAttempts": "many"}',
  '{"maxAttempts": null}',
  '{"maxAttempts": 1e30}',
  '{"maxCrashes": {}}',
  '{"backoff": 7}',
  '{"backoff": {"type": "fixed"}}',
  '{"backoff": {"type": "fixed", "delayMs": 1e300}}',
  '{"backoff": {"type": "fixed", "delayMs": 1e18}}',
  '{"backoff": {"type": "fixed", "delayMs": -1e9}}',
  '{"backoff": {"type": "exponential", "baseMs": 1, "factor": -2.5, "maxMs": 1e9}}',
];
// Enqueue would refuse it; the table cannot.
const setPolicy = rawStatement('update rowlock.job set policy = $2::jsonb where id = $1::bigint');

async function enqueueWithPolicy(policy: string): Promise<void> {
  const [id = null] = await enqueue(database, {});
  await database.run(setPolicy, [id, policy]);
}

const crashedBefore = rawStatement('update rowlock.job set crashes = 1');
const inTime = rawStatement(
  "select count(*)::text from rowlock.job where run_at between created_at and created_at + interval '10 years'",
);

test('a job whose policy makes no sense stops neither its own rescue nor that of others', async () => {
  for (const policy of senseless) await enqueueWithPolicy(policy);
  await enqueue(database, {});
  await database.run(crashedBefore, []);
  assert.equal((await claim(database, workerId)).length, senseless.length + 1);
  await end();
  assert.deepEqual(await rescuePages(database, 0, allPages), { jobs: senseless.length + 1, discarded: 0 });
  const all = String(senseless.length + 1);
  assert.deepEqual(await database.run(inTime, []), [[all]]);
});

test('a job that may be tried for ever is not, so that its claim cannot fail', async () => {
  await enqueueWithPolicy('{"maxAttempts": 1000000}');
  await database.run(rawStatement('update rowlock.job set attempt = 9999'), []);
  const claimed = await claim(database, workerId);
  const [answer] = await settleByFact(database, claimed, { outcome: 'failed' });
  assert.equal(answer?.state, 'discarded');
});
