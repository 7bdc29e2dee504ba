import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { defineJob } from '../job/define.js';
import { Child } from '../testing/child-process.js';
import { Scene } from '../testing/scene.js';

const work = defineJob('work');
const lease = '1s';

let scene: Scene;
before(async () => (scene = await Scene.open()));
after(() => scene.close());
beforeEach(() => scene.clear());

/** A process with a worker in this mode, gone in the end whatever happens. */
async function withChild(mode: string, during: (child: Child) => Promise<void>): Promise<void> {
  const child = new Child('worker-process.js', [scene.url, mode]);
  try {
    await during(child);
  } finally {
    await child[Symbol.asyncDispose]();
  }
}

test('a process that stops its worker and closes its client ends by itself', async () => {
  const { id } = await scene.client().enqueue(work);
  await withChild('end', async (child) => {
    assert.equal(await child.ending(), '0');
    assert.deepEqual(child.lines, [
      'registered',
      `started ${id}`,
      `settled ${id} completed`,
      'stopped',
      'closed',
    ]);
  });
});

test('a process that only enqueues has no thread, timer or LISTEN, and ends by itself without closing anything', async () => {
  await withChild('enqueue', async (child) => {
    assert.equal(await child.ending(), '0');
    const [, resources = ''] = child.lines.map((line) => line.replace(/^\w+ ?/, ''));
    const kinds = resources
      .split(' ')
      .filter((kind) => !/^(PipeWrap|TTYWrap|TCPSocketWrap|TCPWrap)$/.test(kind));
    assert.deepEqual(
      kinds.filter((kind) => kind !== ''),
      [],
    );
  });
});

test('SIGTERM lets a handler end by its signal, gives the job back unharmed, and the process ends with 0', async () => {
  const { id } = await scene.client().enqueue(work);
  await withChild('hold', async (child) => {
    await child.said('started');
    child.kill('SIGTERM');
    assert.equal(await child.ending(), '0');
    assert.deepEqual(child.lines.slice(-3), [`settled ${id} available`, 'stopped', 'closed']);
  });
  const { state, attempt, errors } = await scene.job(id);
  assert.deepEqual([state, attempt, errors], ['available', 0, null]);
});

test('a second SIGTERM does not wait for the grace; a handler that ignores its signal has its job taken', async () => {
  const { id } = await scene.client().enqueue(work);
  await withChild('ignore', async (child) => {
    await child.said('started');
    child.kill('SIGTERM');
    child.kill('SIGTERM');
    await child.said('closed');
    const { state, attempt } = await scene.job(id);
    assert.deepEqual([state, attempt], ['available', 0]);
  });
});

test('the job of a killed process runs again within a lease and one pass, its attempt counted, its error told', async () => {
  const { id } = await scene.client().enqueue(work);
  const handlers = [work.handle(() => undefined)];
  await withChild('hold', async (child) => {
    await child.said('started');
    await scene.working({ handlers, lease }, async ({ diary }) => {
      child.kill('SIGKILL');
      // Its lease ends within a second; whoever marks it dead has been in contact for a whole lease by then.
      const job = await scene.untilState(id, 'completed', 4000);
      assert.deepEqual([job.attempt, job.claim_no, job.crashes], [2, 2, 1]);
      const [error] = job.errors ?? [];
      assert.deepEqual([error?.code, error?.attempt, error?.claimNo], ['WORKER_LOST', 1, 1]);
      assert.deepEqual(diary.rescued, [{ jobs: 1, discarded: 0 }]);
    });
  });
});

test('a handler that blocks the event loop for three leases keeps its job', async () => {
  const { id } = await scene.client().enqueue(work);
  await withChild('block', async (child) => {
    await child.said('registered');
    const handlers = [defineJob('other').handle(() => undefined)];
    await scene.working({ handlers, lease, queues: { default: {} } }, async ({ diary }) => {
      const job = await scene.untilState(id, 'completed', 8000);
      assert.deepEqual([job.attempt, job.claim_no, job.errors], [1, 1, null]);
      assert.deepEqual(diary.rescued, []);
    });
  });
});
