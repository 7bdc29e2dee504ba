import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { errorRecord } from './error-record.js';
import { isStorable } from './text.js';

function thrower(): never {
  throw new Error('hostile');
}

function hostileValues(): unknown[] {
  const cyclic = new Error('a');
  cyclic.cause = cyclic;
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const getters = Object.defineProperties(
    {},
    Object.fromEntries(['name', 'message', 'stack', 'code', 'cause'].map((key) => [key, { get: thrower }])),
  );
  const traps = { get: thrower, has: thrower, getPrototypeOf: thrower, ownKeys: thrower };
  return [
    ...[null, undefined, 0, NaN, '', 'text', 5n, Symbol('s'), () => 1, [], {}, Object.create(null) as object],
    ...[cyclic, revoked.proxy, getters, new Proxy(new Error('x'), traps), new Proxy(thrower, traps)],
    { name: 5, message: { toString: thrower }, stack: null, code: {} },
    { message: 'a\0b\ud800', stack: '\0'.repeat(9_000), code: '\0', name: '\udc00' },
    Object.assign(new Error('x'.repeat(1_000_000)), {
      stack: 'é'.repeat(1_000_000),
      code: 'c'.repeat(1_000),
    }),
  ];
}

function checkRecord(thrown: unknown): void {
  const record = errorRecord(thrown);
  const limits = { name: 200, message: 4_096, stack: 8_192, code: 200 };
  for (const [key, limit] of Object.entries(limits)) {
    const text = (record as unknown as Record<string, unknown>)[key] ?? '';
    assert.ok(typeof text === 'string' && isStorable(text), key);
    assert.ok(Buffer.byteLength(text) <= limit, `${key} of ${Buffer.byteLength(text)} bytes`);
  }
  assert.notEqual(record.name, '');
  assert.notEqual(record.message, '');
  JSON.stringify(record);
}

test('a hostile thrown value gives a bounded record and never throws', () => {
  for (const value of hostileValues()) checkRecord(value);
});

test('any thrown value gives a bounded record', () => {
  fc.assert(fc.property(fc.anything({ withBigInt: true, withNullPrototype: true }), checkRecord));
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 9_000 }), (message) =>
      checkRecord({ message, stack: message }),
    ),
  );
});

test('what was not an error is told as it was', () => {
  assert.deepEqual(errorRecord('boom'), { name: 'NonError', message: 'thrown: boom', stack: '' });
  assert.deepEqual(errorRecord(undefined), { name: 'NonError', message: 'thrown: undefined', stack: '' });
  assert.deepEqual(errorRecord({ code: 42 }), {
    name: 'Error',
    message: 'thrown without a message',
    stack: '',
    code: '42',
  });
});

test('causes follow the stack', () => {
  const { stack } = errorRecord(new Error('outer', { cause: new TypeError('inner', { cause: 'root' }) }));
  assert.match(stack, /^Error: outer\n[^]*\ncaused by: TypeError: inner\n[^]*\ncaused by: thrown: root$/);
});

test('a cut text keeps whole characters and ends in an ellipsis', () => {
  const { message } = errorRecord(new Error('€'.repeat(3_000)));
  assert.equal(message, `${'€'.repeat(1_364)}…`);
});
