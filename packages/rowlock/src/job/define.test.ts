import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exponential, fixed } from './backoff.js';
import type { DefineJobOptions, JobDefinition } from './define.js';
import { defineJob } from './define.js';
import type { HandlerContext } from './handler.js';
import { snooze } from './outcome.js';
import { defaultPolicy } from './policy.js';
import type { StandardSchemaV1 } from './standard-schema.js';
import { type } from './witness.js';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Handles<D> =
  D extends JobDefinition<infer Args, infer Parsed, infer Output> ? [Args, Parsed, Output] : never;

const dated: StandardSchemaV1<{ at: string }, { at: Date }> = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value as { at: Date } }) },
};

const tick = defineJob('tick');
const mail = defineJob('mail', { args: type<{ userId: number }>(), output: type<{ messageId: string }>() });
const remind = defineJob('remind', { args: dated });

const types: [
  Same<Handles<typeof tick>, [void, void, void]>,
  Same<Handles<typeof mail>, [{ userId: number }, { userId: number }, { messageId: string }]>,
  Same<Handles<typeof remind>, [{ at: string }, { at: Date }, void]>,
] = [true, true, true];

type MailRun = Parameters<typeof mail.handle>[0];
type Fits<Run> = Run extends MailRun ? true : false;

const handlers: [
  Fits<(context: HandlerContext<{ userId: number }>) => Promise<{ messageId: string }>>,
  Fits<() => { messageId: string }>,
  Fits<() => ReturnType<typeof snooze>>,
  Fits<() => Promise<{ messageId: number }>>,
  Fits<() => string>,
  Fits<(context: HandlerContext<{ userId: string }>) => { messageId: string }>,
] = [true, true, true, false, false, false];

const withArgs: [
  Same<Parameters<typeof tick.with>[0], undefined>,
  Same<Parameters<typeof mail.with>[0], { userId: number }>,
] = [true, true];

test('a definition carries the types of its args, of what is made of them, and of its output', () => {
  assert.deepEqual([...types, ...withArgs], [true, true, true, true, true]);
  assert.deepEqual(handlers, [true, true, true, false, false, false]);
});

test('every option of a kind has its documented default', () => {
  assert.equal(tick.kind, 'tick');
  assert.equal(tick.queue, 'default');
  assert.equal(tick.priority, 5);
  assert.deepEqual(tick.policy, defaultPolicy);
  assert.deepEqual(tick.backoff, exponential({ base: '2s', factor: 2, max: '1h', jitter: 0.2 }));
  assert.equal(tick.policy.timeoutMs, 15 * 60_000);
  assert.equal(tick.keep, 'long');
  assert.equal(tick.keepArgs, true);
  assert.equal(tick.schema, undefined);
});

test('options of a kind are kept', () => {
  const options = {
    queue: 'mail',
    priority: 0,
    keep: 'none',
    keepArgs: false,
    backoff: fixed({ delay: '1s' }),
  } as const;
  const job = defineJob('mail', { ...options, maxAttempts: 3, maxCrashes: 2, timeout: '30s' });
  const { queue, priority, keep, keepArgs, policy } = job;
  assert.deepEqual(
    { queue, priority, keep, keepArgs },
    { queue: 'mail', priority: 0, keep: 'none', keepArgs: false },
  );
  const backoff = { type: 'fixed', delayMs: 1_000, jitter: 0.2 };
  assert.deepEqual(policy, { maxAttempts: 3, maxCrashes: 2, timeoutMs: 30_000, backoff });
});

test('with and handle name the kind they are of', () => {
  assert.equal(remind.with({ at: 'now' }).definition.schema, dated);
  const request = mail.with({ userId: 1 }, { delay: '5m' });
  assert.equal(request.definition.kind, 'mail');
  assert.deepEqual(request.args, { userId: 1 });
  assert.deepEqual(request.options, { delay: '5m' });
  assert.deepEqual(tick.with().options, {});
  const handler = mail.handle(() => ({ messageId: 'm1' }));
  assert.equal(handler.definition.kind, 'mail');
  assert.deepEqual(handler.run({} as HandlerContext<unknown>), { messageId: 'm1' });
  assert.equal(tick.handle(() => snooze('1m')).definition.kind, 'tick');
});

test('options that cannot work are refused with their name', () => {
  const refused = (options: object, message: string): void => {
    assert.throws(() => defineJob('mail', options as DefineJobOptions<StandardSchemaV1, unknown>), {
      code: 'CONFIG_INVALID',
      message,
    });
  };
  refused({ priority: 10 }, 'mail.priority must be a whole number from 0 to 9 (got 10)');
  refused({ priority: 0.5 }, 'mail.priority must be a whole number from 0 to 9 (got 0.5)');
  refused({ maxAttempts: 0 }, 'mail.maxAttempts must be a whole number from 1 to 10000 (got 0)');
  refused({ maxCrashes: '5' }, 'mail.maxCrashes must be a whole number from 1 to 10000 (got "5")');
  refused({ keep: 'forever' }, `mail.keep must be one of 'none', 'short', 'long' (got "forever")`);
  refused({ keepArgs: 1 }, 'mail.keepArgs must be true or false (got 1)');
  refused({ backoff: 5 }, 'mail.backoff is not a backoff: use exponential(), linear(), fixed() or custom()');
  refused({ args: {} }, 'mail.args is not a Standard Schema: use Zod, Valibot, ArkType …, or type<Args>()');
  refused({ queue: '' }, 'mail.queue must not be empty');
  refused({ maxAttempt: 3 }, "mail.maxAttempt is not an option: did you mean 'maxAttempts'?");
  refused(
    { timeout: '0s' },
    `mail.timeout must be longer than 0 ms (got "0s"): use milliseconds or a string like '500ms', '30s', '15m', '2h', '7d'`,
  );
});

test('a name is text of 1 to 200 bytes that PostgreSQL can store', () => {
  const refused = (kind: unknown, message: string): void => {
    assert.throws(() => defineJob(kind as string), { code: 'CONFIG_INVALID', field: 'kind', message });
  };
  refused('', 'kind must not be empty');
  refused(5, 'kind must be a string (got 5)');
  refused('é'.repeat(101), 'kind is 202 bytes long: use at most 200');
  refused('a\0', 'kind holds a NUL character or a lone surrogate: remove it');
  refused('\ud800', 'kind holds a NUL character or a lone surrogate: remove it');
  assert.equal(defineJob('é'.repeat(100)).kind.length, 100);
});

test('options that are no object, and a handler that is no function, are refused at once', () => {
  const refused = (call: () => unknown, field: string, message: RegExp): void => {
    assert.throws(call, { code: 'CONFIG_INVALID', field, message });
  };
  refused(
    () => defineJob('mail', null as never),
    'options',
    /^options must be an object \(got null\): its options are args, output, queue/,
  );
  refused(() => defineJob('mail', 'queue' as never), 'options', /^options must be an object \(got "queue"\)/);
  for (const [run, got] of [
    [undefined, 'undefined'],
    [{}, 'an object'],
  ] as const) {
    const message = new RegExp(
      `^mail\\.handle must be given the function that runs the job \\(got ${got}\\)$`,
    );
    refused(() => mail.handle(run as never), 'mail.handle', message);
  }
});
