import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import type { Database } from '../db/executor.js';
import { openDatabase } from '../db/database.js';
import { defineJob, fixed, Rowlock, silentLogger } from '../index.js';
import { rescuePages } from '../maintenance/rescue.js';
import { deferred } from '../runtime/deferred.js';
import type { TestDatabase } from '../testing/database.js';
import { createTestDatabase } from '../testing/database.js';
import { rawStatement } from '../testing/raw-statement.js';
import { until } from '../testing/until.js';

let testDatabase: TestDatabase;
let database: Database;
let rowlock: Rowlock;

before(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({ connectionString: testDatabase.url });
});

after(async () => {
  await database.close();
  await testDatabase.drop();
});

beforeEach(() => {
  rowlock = new Rowlock({ connectionString: testDatabase.url, migrate: 'check', logger: silentLogger });
});

afterEach(() => rowlock.close());

const jobs = rawStatement(
  'select state, attempt::text, parked::text from rowlock.jobs where id = $1::bigint',
);

async function lookAt(id: string): Promise<readonly (string | null)[]> {
  const [row] = await database.run(jobs, [id]);
  assert.ok(row, `job ${id} is nowhere`);
  return row;
}

const seen = (id: string, ...expected: string[]): Promise<unknown> =>
  until(async () => (await lookAt(id)).slice(0, expected.length).join() === expected.join(), {
    what: `job ${id} is ${expected.join()}`,
  });

test('a job is running until its handler has ended, and failed if it throws', async () => {
  const definition = defineJob('ends_late', { maxAttempts: 1 });
  const ending = deferred();
  const started = deferred();
  const worker = rowlock.worker({
    handlers: [
      definition.handle(async () => {
        started.resolve();
        await ending.promise;
        throw new Error('after all');
      }),
    ],
  });
  await worker.start();
  const { id } = await rowlock.enqueue(definition);
  await started.promise;
  assert.deepEqual((await lookAt(id)).slice(0, 2), ['running', '1']);
  ending.resolve();
  await seen(id, 'discarded', '1');
});

const raiseAttempts = rawStatement(
  `update rowlock.kind set policy = policy || '{"maxAttempts": 3}' where name = $1`,
);

test('the policy in the database decides, not the one that this worker was built with', async () => {
  const definition = defineJob('redefined', { maxAttempts: 1, backoff: fixed({ delay: '1h' }) });
  const worker = rowlock.worker({
    handlers: [
      definition.handle(() => {
        throw new Error('in its first attempt');
      }),
    ],
  });
  await worker.start();
  await database.run(raiseAttempts, ['redefined']);
  const { id } = await rowlock.enqueue(definition);
  await seen(id, 'retryable', '1');
});

test('a worker that stops gives back what still runs, with the attempt refunded', async () => {
  const definition = defineJob('never_ends');
  const started = deferred();
  const worker = rowlock.worker({
    stopGrace: 1,
    handlers: [
      definition.handle(async ({ signal }) => {
        started.resolve();
        await new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        });
      }),
    ],
  });
  await worker.start();
  const { id } = await rowlock.enqueue(definition);
  await started.promise;
  await worker.stop();
  assert.deepEqual(await lookAt(id), ['available', '0', 'false']);
});

test('a kind that nobody here serves is parked, and run by the worker that serves it', async () => {
  const served = defineJob('served_here');
  const elsewhere = defineJob('served_elsewhere');
  const worker = rowlock.worker({ handlers: [served.handle(async () => undefined)] });
  await worker.start();
  const { id } = await rowlock.enqueue(elsewhere);
  await seen(id, 'available', '0', 'true');
  const other = rowlock.worker({ handlers: [elsewhere.handle(async () => undefined)] });
  await other.start();
  await seen(id, 'completed', '1');
});

const markDead = rawStatement('update rowlock.worker set dead_at = clock_timestamp() where id = $1::bigint');

test('a job that runs while its worker is lost runs again elsewhere, and the late end of the first is refused', async () => {
  const definition = defineJob('lost_once');
  const endings = [deferred(), deferred()] as const;
  let runs = 0;
  const handler = definition.handle(async () => {
    runs += 1;
    await endings[runs === 1 ? 0 : 1].promise;
  });
  const lost = rowlock.worker({ handlers: [handler] });
  const refused = deferred();
  lost.on('leaseLost', () => refused.resolve());
  await lost.start();
  const { id } = await rowlock.enqueue(definition);
  await seen(id, 'running', '1');
  const other = rowlock.worker({ handlers: [handler] });
  await other.start();
  // In one commit, so that it cannot take its claim along to another worker id.
  await database.transaction(async (tx) => {
    await tx.run(markDead, [lost.health().workerId]);
    assert.equal((await rescuePages(tx, 0, 1_000_000)).jobs, 1);
  });
  await seen(id, 'running', '2');
  endings[0].resolve();
  await refused.promise;
  endings[1].resolve();
  await seen(id, 'completed', '2');
});
