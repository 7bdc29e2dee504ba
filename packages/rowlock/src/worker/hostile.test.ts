import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { fixed } from '../job/backoff.js';
import { defineJob } from '../job/define.js';
import type { HandlerContext } from '../job/handler.js';
import { cancel, discard } from '../job/outcome.js';
import { type } from '../job/witness.js';
import { Scene } from '../testing/scene.js';
import { until } from '../testing/until.js';

const once = { maxAttempts: 1, backoff: fixed({ delay: 1 }) };
const plain = defineJob('plain');
const anything = type<unknown>();

let scene: Scene;
before(async () => (scene = await Scene.open()));
after(() => scene.close());
beforeEach(() => scene.clear());

type Run = (context: HandlerContext<unknown>) => unknown;

function cyclic(): object {
  const value: { self?: unknown } = {};
  value.self = value;
  return value;
}

const unreadable = new Proxy(
  {},
  {
    get: () => {
      throw new Error('trap');
    },
  },
);

function thrower(thrown: unknown): Run {
  return () => Promise.reject(thrown);
}

/** What each does to its job. */
const hostile: Record<string, [run: Run, state: string]> = {
  'output with NUL and lone surrogates': [() => ({ 'a\0': 'x\0y\ud800z' }), 'completed'],
  'cyclic output': [cyclic, 'discarded'],
  'unreadable output': [() => unreadable, 'discarded'],
  'BigInt output': [() => 2n, 'discarded'],
  'function output': [() => () => undefined, 'discarded'],
  'huge output': [() => 'x'.repeat(5_000_000), 'discarded'],
  'output of 200 levels': [() => nested(200), 'completed'],
  'output of 5000 levels': [() => nested(5000), 'discarded'],
  'error with NUL and lone surrogates': [thrower(new Error('a\0b\udfffc')), 'discarded'],
  'error of a megabyte': [thrower(new Error('x'.repeat(1_000_000))), 'discarded'],
  'cause that is its own': [thrower(selfCaused()), 'discarded'],
  'unreadable error': [thrower(unreadable), 'discarded'],
  'error with a hostile code': [thrower(Object.assign(new Error('x'), { code: cyclic() })), 'discarded'],
  'nothing thrown': [thrower(undefined), 'discarded'],
  'symbol thrown': [thrower(Symbol('x')), 'discarded'],
  'text with NUL thrown': [thrower('\0'), 'discarded'],
  'hostile reason of a cancel': [() => cancel('a\0\ud800'), 'cancelled'],
  'unreadable reason of a discard': [() => discard(unreadable as string), 'discarded'],
};

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

function selfCaused(): Error {
  const error = new Error('x');
  error.cause = error;
  return error;
}

test('whatever a handler returns or throws, its job is settled, and so are all the others of its batch', async () => {
  const names = Object.keys(hostile);
  const work = defineJob('work', { args: type<{ name: string }>(), output: anything, ...once });
  const handlers = [
    work.handle((context) => hostile[context.args.name]![0](context)),
    plain.handle(() => undefined),
  ];
  const rowlock = scene.client();
  const requests = names.flatMap((name) => [
    work.with({ name }),
    ...Array.from({ length: 5 }, () => plain.with()),
  ]);
  await rowlock.enqueueMany(requests);
  await scene.working({ handlers, queues: { default: { concurrency: 100 } } }, async ({ diary }) => {
    await until(() => diary.settled.length === requests.length);
  });
  const rows = await scene.rows<{ name: string; state: string; errors: number }>(
    `select args->>'name' as name, state, coalesce(jsonb_array_length(errors), 0) as errors from rowlock.jobs where kind = 'work'`,
  );
  assert.deepEqual(
    Object.fromEntries(rows.map(({ name, state }) => [name, state])),
    Object.fromEntries(names.map((name) => [name, hostile[name]![1]])),
  );
  for (const { name, state, errors } of rows) {
    const expected = state === 'discarded' && name !== 'unreadable reason of a discard' ? 1 : 0;
    assert.equal(errors, expected, name);
  }
  const [others] = await scene.rows(
    `select count(*)::int as jobs from rowlock.finished where kind = 'plain' and state = 'completed'`,
  );
  assert.deepEqual(others, { jobs: names.length * 5 });
});

test('an error is stored short, and says what it can', async () => {
  const work = defineJob('work', once);
  const message = 'é'.repeat(100_000);
  const handlers = [work.handle(() => Promise.reject(Object.assign(new Error(message), { code: 'E_CARD' })))];
  await scene.working({ handlers }, async ({ rowlock }) => {
    const { id } = await rowlock.enqueue(work);
    const { errors } = await scene.untilState(id, 'discarded');
    const [error] = errors ?? [];
    assert.deepEqual([error?.name, error?.code, error?.attempt], ['Error', 'E_CARD', 1]);
    assert.ok(Buffer.byteLength(error?.message ?? '') <= 4096);
    const [size] = await scene.rows<{ bytes: number }>(
      'select octet_length(errors::text) as bytes from rowlock.discarded',
    );
    assert.ok((size?.bytes ?? Infinity) < 20_000);
  });
});

test('names with quotes, spaces, emoji and words of JavaScript are names like any other', async () => {
  const names = [
    '__proto__',
    'constructor',
    'to"quote\\',
    "it's {a,b}",
    '%s $1 --',
    '😀 ü',
    'NULL',
    'x'.repeat(200),
  ];
  const kinds = names.map((name) => defineJob(name, { queue: name }));
  const seen: string[] = [];
  const handlers = kinds.map((kind) => kind.handle(({ job }) => void seen.push(`${job.queue} ${job.kind}`)));
  const queues = Object.fromEntries(names.map((name) => [name, { concurrency: 1 }]));
  await scene.working({ handlers, queues }, async ({ rowlock, diary }) => {
    await rowlock.enqueueMany(kinds.map((kind) => kind.with()));
    for (const kind of kinds) await rowlock.enqueue(kind);
    await until(() => diary.settled.length === 2 * names.length);
    for (const name of names) {
      await rowlock.kinds.pause(name);
      await rowlock.queues.pause(name);
    }
  });
  assert.deepEqual(seen.sort(), [...names, ...names].map((name) => `${name} ${name}`).sort());
});

test('args that only SQL can make reach the handler, or fail their own job', async () => {
  const work = defineJob('work', { args: anything, output: anything, ...once });
  const seen: unknown[] = [];
  const handlers = [work.handle(({ args }) => void seen.push(args)), plain.handle(() => undefined)];
  await scene.working({ handlers }, async ({ diary }) => {
    const texts = [
      '1e400',
      '12345678901234567890123',
      '{"__proto__": {"polluted": true}}',
      'null',
      '""',
      `${'['.repeat(2000)}${']'.repeat(2000)}`,
    ];
    for (const text of texts) await scene.sql.query('select rowlock.enqueue($1, $2::jsonb)', ['work', text]);
    await scene.sql.query(`select rowlock.enqueue('plain')`);
    await until(() => diary.settled.length === texts.length + 1);
    assert.ok(diary.settled.every(({ state }) => state === 'completed'));
  });
  assert.equal(seen.length, 6);
  assert.equal(({} as { polluted?: boolean }).polluted, undefined);
});

test('a handler that changes what it was given changes nothing for others', async () => {
  const work = defineJob('work', { args: type<{ n: number }>(), ...once });
  const handlers = [
    work.handle((context) => {
      Object.assign(context.args, { n: 7, kind: 'other' });
      Object.assign(context.job, { id: '1', claimNo: 99, attempt: 0 });
    }),
  ];
  await scene.working({ handlers }, async ({ rowlock }) => {
    const { id } = await rowlock.enqueue(work, { n: 1 });
    const job = await scene.untilState(id, 'completed');
    assert.deepEqual([job.args, job.claim_no, job.attempt], [{ n: 1 }, 1, 1]);
  });
});

test('a job whose stored policy makes no sense follows the default one, and holds up no other', async () => {
  const work = defineJob('work', { backoff: fixed({ delay: '1h' }) });
  const handlers = [work.handle(() => Promise.reject(new Error('no')))];
  const rowlock = scene.client();
  const policies = [
    '{"maxAttempts": "many"}',
    '{"backoff": {"type": "fixed"}}',
    '{"backoff": 5}',
    '[]',
    '"x"',
  ];
  const { ids } = await rowlock.enqueueMany(Array.from({ length: 20 }, () => work.with()));
  // Not by way of rowlock.enqueue, which refuses them.
  for (const [n, policy] of policies.entries())
    await scene.sql.query('update rowlock.job set policy = $2 where id = $1', [ids[n], policy]);
  await scene.working({ handlers }, async ({ diary }) => {
    await until(() => new Set(diary.settled.map(({ id }) => id)).size === 20);
    assert.ok(diary.settled.every(({ state }) => state === 'retryable'));
  });
});
