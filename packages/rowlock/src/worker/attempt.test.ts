import assert from 'node:assert/strict';
import { test } from 'node:test';
import { custom, fixed } from '../job/backoff.js';
import type { DefineJobOptions } from '../job/define.js';
import { defineJob } from '../job/define.js';
import type { AbortReason } from '../job/errors.js';
import { LeaseLostError, NonRetryableError, ShutdownError, TimeoutError } from '../job/errors.js';
import type { Fact } from '../job/fact.js';
import type { HandlerContext } from '../job/handler.js';
import { cancel, snooze } from '../job/outcome.js';
import type { StandardSchemaV1 } from '../job/standard-schema.js';
import { type } from '../job/witness.js';
import { deferred } from '../runtime/deferred.js';
import { claimOf } from '../testing/scripted-claims.js';
import type { Claim } from './claim.js';
import { Attempt } from './attempt.js';

type Run = (context: HandlerContext<unknown>) => unknown;

function attemptOf(
  run: Run,
  claim: Partial<Claim> = {},
  options: DefineJobOptions<StandardSchemaV1, unknown> = {},
): Attempt {
  const definition = defineJob('work', { args: type<unknown>(), output: type<unknown>(), ...options });
  return new Attempt(claimOf(claim), definition.handle(run), 0);
}

/** Runs the attempt to its end. */
function factOf(attempt: Attempt): Promise<Fact> {
  return new Promise((resolve) => attempt.run((_, fact) => resolve(fact)));
}

/** The fact of a handler that waits for its signal and then throws what it is given. */
async function abortedWith(
  reason: AbortReason,
  thrown: (context: HandlerContext<unknown>) => unknown,
): Promise<Fact> {
  const begun = deferred();
  const attempt = attemptOf(async (context) => {
    const aborted = new Promise((resolve) => context.signal.addEventListener('abort', resolve));
    begun.resolve();
    await aborted;
    throw thrown(context);
  });
  const fact = factOf(attempt);
  await begun.promise;
  attempt.abort(reason);
  return fact;
}

const itsReason = ({ signal }: HandlerContext<unknown>): unknown => signal.reason;
const another = (): unknown => new Error('fetch failed');

test('whatever can be waited for is waited for: a promise, an object or a function with then', async () => {
  const then = (resolve: (value: unknown) => void): void => void setImmediate(() => resolve({ late: true }));
  const callable = Object.assign(() => undefined, { then });
  const bare = Object.assign(Object.create(null) as object, { then });
  for (const returned of [Promise.resolve({ late: true }), { then }, callable, bare])
    assert.deepEqual(await factOf(attemptOf(() => returned)), {
      outcome: 'completed',
      output: '{"late":true}',
    });
});

test('a promise that throws when it is waited for fails the attempt', async () => {
  const refuse = (): never => {
    throw new Error('no');
  };
  for (const name of ['then', 'constructor'] as const) {
    const hostile = Object.defineProperty(Promise.resolve(), name, { get: refuse });
    assert.equal((await factOf(attemptOf(() => hostile))).outcome, 'failed');
  }
});

test('a handler gets its args and is told of its job', async () => {
  const claim = {
    id: '9007199254740993',
    attempt: 3,
    claimNo: 7,
    priority: 2,
    queue: 'mail',
    runAt: 1_764_500_000_123_456,
  };
  const own = { args: '{"to":"ann"}', policy: { maxAttempts: 4 } };
  let seen: unknown;
  const attempt = attemptOf(({ args, job }) => void (seen = { args, job }), { ...claim, ...own });
  assert.deepEqual(await factOf(attempt), { outcome: 'completed' });
  assert.deepEqual(seen, {
    args: { to: 'ann' },
    job: {
      id: '9007199254740993',
      kind: 'work',
      queue: 'mail',
      priority: 2,
      attempt: 3,
      maxAttempts: 4,
      claimNo: 7,
      idempotencyKey: 'rowlock-9007199254740993',
      runAt: new Date(1_764_500_000_123),
    },
  });
});

test('what a handler returns is its output or an outcome, sync or async', async () => {
  assert.deepEqual(await factOf(attemptOf(() => ({ n: 1 }))), { outcome: 'completed', output: '{"n":1}' });
  assert.deepEqual(await factOf(attemptOf(async () => snooze('5m'))), {
    outcome: 'snooze',
    delayMs: 300_000,
  });
  assert.deepEqual(await factOf(attemptOf(() => cancel('too late'))), {
    outcome: 'cancel',
    reason: 'too late',
  });
});

test('an attempt aborted because the worker stops or has lost its lease is given back, whatever its handler throws', async () => {
  for (const reason of [new ShutdownError(), new LeaseLostError()]) {
    for (const thrown of [itsReason, another, () => new NonRetryableError('no')])
      assert.deepEqual(await abortedWith(reason, thrown), { outcome: 'release' });
  }
});

test('an attempt that ran too long has failed', async () => {
  const late = new TimeoutError('the attempt ran longer than 5 ms');
  const fact = await abortedWith(late, itsReason);
  assert.deepEqual(
    [fact.outcome, fact.error?.code, fact.error?.message],
    ['failed', 'TIMEOUT', late.message],
  );
  const other = await abortedWith(late, another);
  assert.deepEqual([other.outcome, other.error?.message], ['failed', 'fetch failed']);
});

test('an aborted handler that ends well all the same has done its work', async () => {
  const begun = deferred();
  const goOn = deferred();
  const attempt = attemptOf(async () => {
    begun.resolve();
    await goOn.promise;
    return 'done';
  });
  const fact = factOf(attempt);
  await begun.promise;
  attempt.abort(new ShutdownError());
  goOn.resolve();
  assert.deepEqual(await fact, { outcome: 'completed', output: '"done"' });
});

test('the first reason stands', () => {
  const attempt = attemptOf(() => undefined);
  attempt.abort(new TimeoutError('too long'));
  attempt.abort(new ShutdownError());
  assert.equal((attempt.signal.reason as AbortReason).code, 'TIMEOUT');
});

test('a signal that is asked for after the abort is aborted already', async () => {
  const goOn = deferred();
  const attempt = attemptOf(async (context) => {
    await goOn.promise;
    context.signal.throwIfAborted();
  });
  const fact = factOf(attempt);
  attempt.abort(new ShutdownError());
  goOn.resolve();
  assert.deepEqual(await fact, { outcome: 'release' });
});

test('stored args that the schema does not accept any more are not tried again', async () => {
  const refuse = { validate: () => ({ issues: [{ message: 'is gone', path: ['to'] }] }) };
  const args: StandardSchemaV1 = { '~standard': { version: 1, vendor: 'test', ...refuse } };
  const fact = await factOf(attemptOf(() => assert.fail('must not run'), {}, { args }));
  assert.equal(fact.outcome, 'discard');
  assert.equal(fact.reason, 'ARGS_INVALID');
  assert.match(fact.error?.message ?? '', /args\.to: is gone/);
});

test('a schema that throws fails the attempt, and an async one is waited for', async () => {
  const schema = (validate: () => never): StandardSchemaV1 => ({
    '~standard': { version: 1, vendor: 'test', validate },
  });
  const broken = schema(() => {
    throw new Error('bug in the schema');
  });
  const fact = await factOf(attemptOf(() => undefined, {}, { args: broken }));
  assert.deepEqual([fact.outcome, fact.error?.message], ['failed', 'bug in the schema']);
  const late = schema(() => Promise.resolve({ value: 42 }) as never);
  assert.deepEqual(await factOf(attemptOf(({ args }) => args, {}, { args: late })), {
    outcome: 'completed',
    output: '42',
  });
});

test('a handler never makes its attempt reject, whatever it throws or returns', async () => {
  const cyclic: { self?: unknown } = {};
  cyclic.self = cyclic;
  const unreadable = new Proxy({}, { get: () => assert.fail('read'), has: () => assert.fail('asked') });
  const hostile: Run[] = [
    ...[null, unreadable, Symbol('x')].map((thrown: unknown) => () => Promise.reject(thrown)),
    () => cyclic,
    () => unreadable,
    () => 1n,
    () => ({ toJSON: () => assert.fail('called') }),
    () => 'x'.repeat(2_000_000),
  ];
  for (const run of hostile) assert.equal((await factOf(attemptOf(run))).outcome, 'failed', String(run));
});

test('a custom backoff is asked with the attempt that failed; a broken one, or one of the job, leaves the choice to the database', async () => {
  const failing: Run = () => {
    throw new Error('no');
  };
  const asked: unknown[] = [];
  const backoff = custom(
    (attempt, error) => {
      asked.push(attempt, (error as Error).message);
      return '7s';
    },
    { fallback: fixed() },
  );
  assert.equal((await factOf(attemptOf(failing, { attempt: 4 }, { backoff }))).delayMs, 7000);
  assert.deepEqual(asked, [4, 'no']);
  const policy = { backoff: { type: 'fixed', delayMs: 5 } };
  const own = await factOf(attemptOf(failing, { attempt: 4, policy }, { backoff }));
  assert.deepEqual([own.outcome, own.delayMs, asked.length], ['failed', undefined, 2]);
  const broken = custom(() => 'never' as '1s', { fallback: fixed() });
  assert.equal((await factOf(attemptOf(failing, {}, { backoff: broken }))).delayMs, undefined);
});
