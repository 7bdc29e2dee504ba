import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { DefineJobOptions, JobDefinition } from '../job/define.js';
import { defineJob } from '../job/define.js';
import type { StandardSchemaV1 } from '../job/standard-schema.js';
import { cancel } from '../job/outcome.js';
import { type } from '../job/witness.js';
import { Scene } from '../testing/scene.js';
import { until } from '../testing/until.js';

let scene: Scene;
before(async () => (scene = await Scene.open()));
after(() => scene.close());
beforeEach(() => scene.clear());

type Args = { how: 'complete' | 'cancel' };
type Kind = JobDefinition<Args, Args, { n: number }>;

function kindOf(
  name: string,
  options: Omit<DefineJobOptions<StandardSchemaV1<Args>, { n: number }>, 'args' | 'output'>,
): Kind {
  return defineJob(name, { args: type<Args>(), output: type<{ n: number }>(), ...options });
}

const kinds = [
  kindOf('by_default', {}),
  kindOf('none', { keep: 'none' }),
  kindOf('short', { keep: 'short' }),
  kindOf('long', { keep: 'long' }),
  kindOf('without_args', { keepArgs: false }),
  kindOf('short_without_args', { keep: 'short', keepArgs: false }),
];

interface Kept {
  readonly kind: string;
  readonly ring: string;
  readonly args: unknown;
  readonly output: unknown;
}

async function runAll(how: Args['how']): Promise<Kept[]> {
  const handlers = kinds.map((kind) =>
    kind.handle(({ args }) => (args.how === 'cancel' ? cancel('no') : { n: 1 })),
  );
  await scene.working({ handlers }, async ({ rowlock, diary }) => {
    await rowlock.enqueueMany(kinds.map((kind) => kind.with({ how })));
    await until(() => diary.settled.length === kinds.length);
  });
  return scene.rows<Kept>(
    `select f.kind, r.name as ring, f.args, f.output from rowlock.finished f
     join rowlock.history_ring r on f.leaf between r.first_leaf and r.last_leaf order by f.kind`,
  );
}

test('a completed job is kept for as long as its kind says, with or without its args', async () => {
  const args = { how: 'complete' };
  const output = { n: 1 };
  assert.deepEqual(await runAll('complete'), [
    { kind: 'by_default', ring: 'long', args, output },
    { kind: 'long', ring: 'long', args, output },
    { kind: 'short', ring: 'short', args, output },
    { kind: 'short_without_args', ring: 'short', args: null, output },
    { kind: 'without_args', ring: 'long', args: null, output },
  ]);
});

test('so is a cancelled one', async () => {
  const args = { how: 'cancel' };
  const output = null;
  assert.deepEqual(await runAll('cancel'), [
    { kind: 'by_default', ring: 'long', args, output },
    { kind: 'long', ring: 'long', args, output },
    { kind: 'short', ring: 'short', args, output },
    { kind: 'short_without_args', ring: 'short', args: null, output },
    { kind: 'without_args', ring: 'long', args: null, output },
  ]);
});

test('a settled job is nowhere but in history', async () => {
  await runAll('complete');
  const [left] = await scene.rows(
    'select (select count(*)::int from rowlock.job) as live, (select count(*)::int from rowlock.discarded) as discarded',
  );
  assert.deepEqual(left, { live: 0, discarded: 0 });
});

test('history tells when a job was enqueued, due, claimed and finished, and by which worker', async () => {
  const kind = defineJob('timed');
  await scene.working({ handlers: [kind.handle(() => undefined)] }, async ({ rowlock, worker }) => {
    const { id } = await rowlock.enqueue(kind, undefined, { delay: 100 });
    await scene.untilState(id, 'completed');
    const [row] = await scene.rows(
      `select run_at - created_at = interval '100 ms' as due, claimed_at >= run_at as claimed, finished_at > claimed_at as finished, worker_id
       from rowlock.finished where id = $1`,
      [id],
    );
    assert.deepEqual(row, { due: true, claimed: true, finished: true, worker_id: worker.health().workerId });
  });
});

test('what a process knows of its kinds is stored when it starts, and changed by the next one', async () => {
  const defined = (options: object) => [defineJob('mail', options).handle(() => undefined)];
  const stored = 'select queue, priority, policy, keep, keep_args, paused from rowlock.kind';
  const backoff = { type: 'exponential', baseMs: 2000, factor: 2, maxMs: 3_600_000, jitter: 0.2 };
  const policy = { maxAttempts: 10, maxCrashes: 5, timeoutMs: 900_000, backoff };
  await scene.working({ handlers: defined({}) }, async ({ rowlock }) => {
    const kept = { keep: 'long', keep_args: true, paused: false };
    assert.deepEqual(await scene.rows(stored), [{ queue: 'default', priority: 5, policy, ...kept }]);
    await rowlock.kinds.pause('mail');
  });
  const changed = {
    queue: 'post',
    priority: 1,
    maxAttempts: 3,
    timeout: '1s',
    keep: 'none',
    keepArgs: false,
  };
  await scene.working({ handlers: defined(changed) }, async () => {
    const own = { ...policy, maxAttempts: 3, timeoutMs: 1000 };
    // A pause is the operator's, not the code's.
    const kept = { keep: 'none', keep_args: false, paused: true };
    assert.deepEqual(await scene.rows(stored), [{ queue: 'post', priority: 1, policy: own, ...kept }]);
  });
});
