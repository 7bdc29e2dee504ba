import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import pg from 'pg';
import { openDatabase } from '../db/database.js';
import type { Database } from '../db/executor.js';
import { OutcomeUnknownError } from '../job/errors.js';
import type { ClaimNamedRow } from '../sql/generated/statements.gen.js';
import { claimNamed, endWorker, pauseQueue } from '../sql/generated/statements.gen.js';
import { claim, enqueue, registerTestWorker, settleAtAddress } from '../testing/claims.js';
import { CycleStage } from '../testing/cycle-stage.js';
import type { TestDatabase } from '../testing/database.js';
import { createTestDatabase } from '../testing/database.js';
import { turns } from '../testing/hand-clock.js';
import { answerOf } from '../testing/scripted-claims.js';
import { serverError } from '../testing/scripted-database.js';
import type { Answer } from './claim.js';
import { readNamed } from './claim.js';

let testDatabase: TestDatabase;
let database: Database;
let sql: pg.Client;
let workerId: string;

before(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({ connectionString: testDatabase.url });
  sql = new pg.Client({ connectionString: testDatabase.url });
  await sql.connect();
});

after(async () => {
  await sql.end();
  await database.close();
  await testDatabase.drop();
});

beforeEach(async () => {
  await sql.query('truncate rowlock.job');
  workerId = await registerTestWorker(database);
});

async function claimByName(id: string | undefined, queue = 'default'): Promise<Answer> {
  return readNamed(await database.run(claimNamed, { workerId, queue, id: id ?? '0' }));
}

async function nothingOf(id: string | undefined, queue?: string): Promise<void> {
  const { claims, mayClaim } = await claimByName(id, queue);
  assert.deepEqual([claims, mayClaim], [[], true]);
}

test('the job that was named is claimed, and no other; the fence knows the claim', async () => {
  const policy = { maxAttempts: 3 };
  const [, id] = await enqueue(
    database,
    {},
    { kind: 'named', priority: 2, args: '{"to": "ann"}', policy },
    {},
  );
  const { claims, missed, clock } = await claimByName(id);
  const [claimed] = claims;
  assert.ok(claimed !== undefined);
  const { tid, runAt, ...rest } = claimed;
  assert.deepEqual(rest, {
    ...{ id, claimNo: 1, claimedAt: clock, attempt: 1, priority: 2, queue: 'default', kind: 'named', policy },
    ...{ args: '{"to": "ann"}', size: 13, parked: false, held: false },
  });
  assert.match(tid, /^\(\d+,\d+\)$/);
  assert.ok(runAt > 0 && missed.length === 0);
  assert.equal(await settleAtAddress(database, [claimed]), 0);
  assert.equal((await claim(database, workerId)).length, 2);
});

test('what may not be claimed is left alone: claimed, parked, not due, of another queue, not there', async () => {
  const [claimed] = await enqueue(database, {});
  await claim(database, workerId);
  await nothingOf(claimed);
  const [later, parked] = await enqueue(database, { delayMs: 60_000 }, {});
  await sql.query('update rowlock.job set parked = true where id = $1', [parked]);
  for (const id of [later, parked, '0', '999999999999999999']) await nothingOf(id);
  const [elsewhere] = await enqueue(database, { queue: 'mail' });
  await nothingOf(elsewhere);
  assert.equal((await claimByName(elsewhere, 'mail')).claims.length, 1);
});

test('a paused queue gives nothing by name either, and a worker that is marked dead is told so', async () => {
  const [id] = await enqueue(database, {});
  await database.run(pauseQueue, { name: 'default', paused: true });
  await nothingOf(id);
  await database.run(pauseQueue, { name: 'default', paused: false });
  await database.run(endWorker, { workerId, swept: false, unstarted: false });
  const { claims, mayClaim } = await claimByName(id);
  assert.deepEqual([claims, mayClaim], [[], false]);
});

test('a row that somebody holds is not waited for', async () => {
  const [id] = await enqueue(database, {});
  await sql.query('begin');
  try {
    await sql.query('select from rowlock.job where id = $1 for update', [id]);
    await nothingOf(id);
  } finally {
    await sql.query('rollback');
  }
  assert.equal((await claimByName(id)).claims.length, 1);
});

/** A cycle that has found nothing more. */
async function drowsy(): Promise<CycleStage> {
  const stage = new CycleStage();
  await stage.stir();
  await stage.take().answer(answerOf());
  stage.told.length = 0;
  return stage;
}

const ring77 = { queue: 'default', id: '77', runAt: 1_000_000_077 };
const named: ClaimNamedRow = {
  ...{ mayClaim: true, clock: 2e15, startedAt: 1e15, tid: '(0,1)', id: '77', claimNo: 1, attempt: 1 },
  ...{ priority: 5, queue: 'default', kind: 'work', runAt: 1_000_000_077, policy: null, args: '{}' },
};
const nobodyNamed: ClaimNamedRow = {
  ...{ ...named, tid: null, id: null, claimNo: null, attempt: null, priority: null },
  ...{ queue: null, kind: null, runAt: null, args: null },
};

test('an idle cycle claims what is named: one job, for one slot, and the head moves on', async () => {
  const { cycle, slots, database: scripted, claimed, lanes } = await drowsy();
  assert.equal(cycle.claimNamed(slots, ring77), true);
  assert.deepEqual([slots.asked, cycle.underWay], [1, 1]);
  const call = scripted.take(claimNamed);
  assert.deepEqual(call.params, { ...ring77, workerId: '7' });
  await call.answer([named]);
  assert.deepEqual(
    claimed.map(({ id }) => id),
    ['77'],
  );
  assert.deepEqual([slots.asked, cycle.underWay, lanes.startsOf([0]).ids[5]], [0, 0, '77']);
  assert.deepEqual(scripted.names.slice(1), ['claim_named']);
});

test('a name that somebody else was quicker to claim leaves the queue asleep', async () => {
  const { cycle, slots, database: scripted, claimed, told } = await drowsy();
  cycle.claimNamed(slots, ring77);
  await scripted.take(claimNamed).answer([nobodyNamed]);
  assert.deepEqual([claimed, slots.eager, told], [[], false, ['idle']]);
});

test('a cycle that is not idle, or may not claim, claims nothing by name', async () => {
  const stage = await drowsy();
  const { cycle, slots } = stage;
  const refuses = (): void => assert.equal(cycle.claimNamed(slots, ring77), false);
  slots.running = slots.concurrency;
  refuses();
  slots.running = 0;
  stage.workerId = null;
  refuses();
  stage.workerId = '7';
  slots.wake();
  refuses();
  slots.fellShort(slots.wakes);
  cycle.claimNamed(slots, { ...ring77, id: '76' });
  refuses();
  await stage.database.take(claimNamed).answer([nobodyNamed]);
  cycle.stop();
  refuses();
});

test('after a claim by name that failed its lane is looked through, in full size and from where it was rung for', async () => {
  const stage = await drowsy();
  stage.lanes.advance(0, 5, { runAt: ring77.runAt + 1000, id: '90' });
  stage.cycle.claimNamed(stage.slots, ring77);
  await stage.database.take(claimNamed).fail(serverError('XX000'));
  assert.equal(stage.cycle.claimNamed(stage.slots, ring77), false);
  await stage.clock.advance(20);
  await turns();
  const { queues, slots, headRunAts } = stage.take().params;
  assert.deepEqual([queues, slots, headRunAts[5]], [['default'], [10], ring77.runAt - 1]);
});

test('a claim by name of unknown outcome ends the incarnation; a dead worker learns of it', async () => {
  const stage = await drowsy();
  stage.cycle.claimNamed(stage.slots, ring77);
  await stage.database.take(claimNamed).fail(new OutcomeUnknownError('cut off'));
  assert.deepEqual(stage.told, ['unknown claim of 7', 'error cut off']);
  const other = await drowsy();
  other.cycle.claimNamed(other.slots, ring77);
  await other.database.take(claimNamed).answer([{ ...nobodyNamed, mayClaim: false }]);
  assert.equal(other.told[0], 'dead 7');
});
