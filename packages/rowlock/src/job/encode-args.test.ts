import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineJob } from './define.js';
import { encodeArgs } from './encode-args.js';
import { parseArgs } from './parse-args.js';
import type { StandardResult, StandardSchemaV1 } from './standard-schema.js';
import { type } from './witness.js';

function schemaOf(
  validate: (value: unknown) => StandardResult<unknown> | Promise<StandardResult<unknown>>,
): StandardSchemaV1 {
  return { '~standard': { version: 1, vendor: 'test', validate } };
}

const doubled = schemaOf((value) => ({ value: (value as number) * 2 }));
const issues = [
  { message: 'must be positive', path: ['items', 3, { key: 'price' }] },
  { message: 'is too old', path: [Symbol('s')] },
  { message: 'is wrong' },
];
const message =
  'args of kind "mail" are invalid: args.items[3].price: must be positive; args[Symbol(s)]: is too old; args: is wrong';

test('the input is stored, what the schema makes of it reaches the handler', () => {
  const job = defineJob('mail', { args: doubled });
  assert.equal(encodeArgs(job, 21), '21');
  assert.equal(parseArgs(job, 21), 42);
});

test('args that the schema refuses are refused with every path', () => {
  const job = defineJob('mail', { args: schemaOf(() => ({ issues })) });
  const expected = { name: 'ArgsInvalidError', code: 'ARGS_INVALID', kind: 'mail', message };
  assert.throws(() => encodeArgs(job, {}), expected);
  assert.throws(() => parseArgs(job, {}), expected);
});

test('a schema may be asynchronous', async () => {
  const good = defineJob('mail', { args: schemaOf(async (value) => ({ value })) });
  assert.equal(await encodeArgs(good, { a: 1 }), '{"a":1}');
  assert.deepEqual(await parseArgs(good, { a: 1 }), { a: 1 });
  const bad = defineJob('mail', { args: schemaOf(async () => ({ issues })) });
  await assert.rejects(async () => encodeArgs(bad, {}), { code: 'ARGS_INVALID', message });
});

test('args that are valid but not JSON are refused with their path', () => {
  const job = defineJob('mail', { args: type<{ a: unknown }>() });
  assert.throws(() => encodeArgs(job, { a: new Date(0) }), { code: 'PAYLOAD_INVALID', path: 'args.a' });
  assert.throws(() => encodeArgs(job, { a: 'xxx' }, 8), { code: 'PAYLOAD_INVALID', path: 'args' });
  assert.throws(() => encodeArgs(job, undefined), { code: 'PAYLOAD_INVALID', path: 'args' });
});

test('a kind without args stores an empty object and takes nothing else', () => {
  const job = defineJob('tick');
  assert.equal(encodeArgs(job, undefined), '{}');
  assert.equal(encodeArgs(job, {}), '{}');
  assert.equal(parseArgs(job, {}), undefined);
  for (const args of [{ a: 1 }, null, [], 5]) {
    assert.throws(() => encodeArgs(job, args), {
      message: 'args of kind "tick" are invalid: args: this kind takes no args',
    });
  }
});
