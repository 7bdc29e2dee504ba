import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { defineJob } from '../job/define.js';
import { createTestDatabase } from '../testing/database.js';
import { diaryOf, Scene } from '../testing/scene.js';
import { startTcpProxy, type TcpProxy } from '../testing/tcp-proxy.js';
import { until } from '../testing/until.js';

const work = defineJob('work');
const handlers = [work.handle(() => undefined)];

let scene: Scene;
let proxy: TcpProxy;
before(async () => {
  scene = await Scene.open();
  proxy = await startTcpProxy(scene.url);
});
after(async () => {
  await scene.close();
  await proxy.close();
});
beforeEach(async () => {
  proxy.mode = 'pass';
  await scene.clear();
});

test('a worker is started once', async () => {
  await scene.working({ handlers }, async ({ worker }) => {
    await assert.rejects(worker.start(), { code: 'WORKER_ALREADY_STARTED' });
    await assert.rejects(worker.run(), { code: 'WORKER_ALREADY_STARTED' });
    assert.equal(worker.health().ok, true);
  });
});

test('a database that is down at boot is waited for, and health says so meanwhile', async () => {
  proxy.mode = 'refuse';
  const rowlock = scene.client({ connectionString: proxy.url });
  const worker = rowlock.worker({ handlers });
  const diary = diaryOf(worker);
  const started = worker.start();
  await until(() => scene.messages('warn').includes('the worker cannot start yet'));
  const { ok, reasons, state } = worker.health();
  assert.deepEqual([ok, state, reasons[0]], [false, 'starting', 'the worker is starting']);
  assert.match(
    reasons[1] ?? '',
    /^the last call to the database failed: Could not connect to the database .+: \S/,
  );
  proxy.mode = 'pass';
  await started;
  assert.deepEqual([worker.health().ok, diary.registered.length], [true, 1]);
  await rowlock.enqueue(work);
  await until(() => diary.settled.length === 1);
  await rowlock.close();
});

test('health names a database that is not there', async () => {
  const url = new URL(scene.url);
  url.pathname = '/not_there';
  const rowlock = scene.client({ connectionString: url.href });
  const worker = rowlock.worker({ handlers });
  const started = assert.rejects(worker.start(), { code: 'WORKER_STOPPED' });
  await until(() => /database "not_there" does not exist$/.test(worker.health().reasons[1] ?? ''));
  await worker.stop();
  await started;
  await rowlock.close();
});

test('a stop during the start ends it, though the database is still away', async () => {
  proxy.mode = 'refuse';
  const rowlock = scene.client({ connectionString: proxy.url });
  const worker = rowlock.worker({ handlers });
  const started = assert.rejects(worker.start(), { code: 'WORKER_STOPPED' });
  await until(() => scene.messages('warn').length > 0);
  await worker.stop();
  await started;
  assert.equal(worker.health().state, 'stopped');
  await rowlock.close();
});

test('run ends quietly when it is stopped during the start', async () => {
  proxy.mode = 'refuse';
  const rowlock = scene.client({ connectionString: proxy.url });
  const worker = rowlock.worker({ handlers });
  const ran = worker.run();
  await until(() => scene.messages('warn').length > 0);
  await worker.stop();
  await ran;
  await rowlock.close();
});

test('signals are handled by run, and by nothing else', async () => {
  const count = (): number => process.listenerCount('SIGTERM') + process.listenerCount('SIGINT');
  const before = count();
  await scene.working({ handlers }, async ({ rowlock }) => {
    assert.equal(count(), before);
    const worker = rowlock.worker({ handlers });
    const ran = worker.run();
    assert.equal(count(), before + 2);
    await until(() => worker.health().ok);
    await worker.stop();
    await ran;
  });
  assert.equal(count(), before);
});

test('start and stop at once, many times over, leave nothing behind', async () => {
  const rowlock = scene.client();
  for (let times = 0; times < 10; times += 1) {
    const worker = rowlock.worker({ handlers });
    const started = worker.start().catch((error: unknown) => (error as { code: string }).code);
    await worker.stop();
    assert.equal(await started, 'WORKER_STOPPED');
  }
  await rowlock.close();
  assert.deepEqual(await scene.rows('select from rowlock.worker where dead_at is null'), []);
});

test('a schema that is missing is said at once, where the client only checks', async () => {
  const empty = await createTestDatabase({ migrated: false });
  const rowlock = scene.client({ connectionString: empty.url, migrate: 'check' });
  const worker = rowlock.worker({ handlers });
  await assert.rejects(worker.start(), { code: 'SCHEMA_MISSING' });
  assert.equal(worker.health().state, 'stopped');
  await assert.rejects(worker.start(), { code: 'WORKER_STOPPED' });
  await assert.rejects(rowlock.enqueue(work), { code: 'SCHEMA_MISSING' });
  await rowlock.close();
  await empty.drop();
});

test('a worker may be started and its job enqueued in the same moment, any number of times', async () => {
  const rowlock = scene.client();
  for (let times = 1; times <= 10; times += 1) {
    const worker = rowlock.worker({ handlers });
    const diary = diaryOf(worker);
    await Promise.all([worker.start(), rowlock.enqueue(work)]);
    await until(() => diary.settled.length === 1);
    await worker.stop();
  }
  const [row] = await scene.rows(
    'select count(*)::int as jobs, max(claim_no)::int as claims from rowlock.finished',
  );
  assert.deepEqual(row, { jobs: 10, claims: 1 });
});

test('an event that does not exist and a listener that is no function are refused at once', async () => {
  const rowlock = scene.client();
  const worker = rowlock.worker({ handlers });
  assert.throws(() => worker.on('complete' as never, () => undefined), {
    code: 'CONFIG_INVALID',
    field: 'name',
    message:
      "name must be one of 'started', 'settled', 'leaseLost', 'outcomeUnknown', 'rescued', 'registered', 'contact' (got \"complete\")",
  });
  assert.throws(() => worker.on('settled', undefined as never), {
    code: 'CONFIG_INVALID',
    field: 'listener',
    message: 'listener must be a function (got undefined)',
  });
  await rowlock.close();
});
