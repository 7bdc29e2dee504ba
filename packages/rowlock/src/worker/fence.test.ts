import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import pg from 'pg';
import type { Database } from '../db/executor.js';
import { openDatabase } from '../db/database.js';
import { released } from '../job/fact.js';
import { parkUnserved } from '../sql/generated/statements.gen.js';
import { claim, enqueue, registerTestWorker, settleAtAddress, settleByFact } from '../testing/claims.js';
import type { TestDatabase } from '../testing/database.js';
import { createTestDatabase } from '../testing/database.js';
import { rawStatement } from '../testing/raw-statement.js';
import type { Claim } from './claim.js';

let testDatabase: TestDatabase;
let database: Database;
let workerId: string;
/** Without our lock timeout: autovacuum may be at it. */
let maintainer: pg.Client;

before(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({ connectionString: testDatabase.url });
  workerId = await registerTestWorker(database);
  maintainer = new pg.Client({ connectionString: testDatabase.url });
  await maintainer.connect();
});

after(async () => {
  await maintainer.end();
  await database.close();
  await testDatabase.drop();
});

beforeEach(async () => {
  await database.run(rawStatement('truncate rowlock.job'), []);
});

const addressOf = rawStatement('select ctid::text, claim_no::text from rowlock.job');

async function claimOne(): Promise<Claim> {
  const [claimed] = await claim(database, workerId);
  assert.ok(claimed);
  return claimed;
}

/** Gives the claim back and lets its old addresses be used again. */
async function giveBack(claimed: Claim): Promise<void> {
  await settleByFact(database, [claimed], released);
  await maintainer.query('vacuum rowlock.job');
}

test('a late settle is refused though the row lies at its address again, under a later claim', async () => {
  await enqueue(database, {});
  const earlier: Claim[] = [];
  let current = await claimOne();
  while (!earlier.some(({ tid }) => tid === current.tid)) {
    assert.ok(earlier.length < 100, 'the row never came back to an address');
    earlier.push(current);
    await giveBack(current);
    current = await claimOne();
  }
  const late = earlier.filter(({ tid }) => tid === current.tid);
  assert.equal(await settleAtAddress(database, late), late.length);
  assert.deepEqual(
    (await settleByFact(database, late, { outcome: 'completed' })).map(({ answer }) => answer),
    late.map(() => 'refused'),
  );
  assert.equal(await settleAtAddress(database, [current]), 0);
});

test('a claim that was given back is over, though nobody claimed after it and the row lies at its address again', async () => {
  await enqueue(database, {});
  for (let round = 0; round < 100; round += 1) {
    const over = await claimOne();
    await giveBack(over);
    // Parking moves the row, and leaves its claim_no.
    await database.run(parkUnserved, {
      queue: 'default',
      served: [],
      window: 10,
      floorRunAts: [],
      floorIds: [],
    });
    const [[tid, claimNo] = []] = await database.run(addressOf, []);
    if (tid === over.tid && claimNo === String(over.claimNo)) {
      assert.equal(await settleAtAddress(database, [over]), 1);
      assert.deepEqual(
        (await settleByFact(database, [over], { outcome: 'completed' })).map(({ answer }) => answer),
        ['refused'],
      );
      return;
    }
    await database.run(rawStatement('update rowlock.job set parked = false'), []);
    await maintainer.query('vacuum rowlock.job');
  }
  assert.fail('the row never came back to the address of its last claim');
});

test('of two settles of one claim, one is refused', async () => {
  await enqueue(database, {});
  const claimed = await claimOne();
  const missed = await Promise.all([
    settleAtAddress(database, [claimed]),
    settleAtAddress(database, [claimed]),
  ]);
  assert.deepEqual(missed.toSorted(), [0, 1]);
});

test('a process that has two claims of one job settles the later one only', async () => {
  await enqueue(database, {});
  const earlier = await claimOne();
  await settleByFact(database, [earlier], released);
  const later = await claimOne();
  assert.equal(later.id, earlier.id);
  assert.equal(await settleAtAddress(database, [earlier, later]), 1);
});
