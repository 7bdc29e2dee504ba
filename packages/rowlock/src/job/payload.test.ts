import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodeOutput } from './output.js';
import { encodePayload } from './payload.js';
import { cleanText } from './text.js';

function refused(value: unknown, path: string, problem: string): void {
  assert.throws(() => encodePayload(value, { field: 'args' }), {
    name: 'PayloadInvalidError',
    code: 'PAYLOAD_INVALID',
    path,
    message: `${path} ${problem}`,
  });
}

test('plain JSON is encoded as JSON.stringify does', () => {
  for (const value of [
    null,
    true,
    0,
    -1.5,
    '',
    'é😀',
    [],
    {},
    [[{ a: [null] }]],
    { a: { b: 'c' } },
    2 ** 53 - 1,
  ]) {
    assert.equal(encodePayload(value, { field: 'args' }), JSON.stringify(value));
  }
  assert.equal(encodePayload(Object.assign(Object.create(null), { a: 1 }), { field: 'args' }), '{"a":1}');
});

test('what counts is the size that jsonb makes of it, which has no exponents', () => {
  const tiny: number[] = Array<number>(4000).fill(5e-324);
  assert.throws(() => encodePayload(tiny, { field: 'args' }), { message: /^args is 13\d{5} bytes of JSON/ });
  assert.throws(() => encodeOutput(tiny), { message: /^output is 13\d{5} bytes of JSON/ });
  assert.equal(encodePayload(tiny.slice(3000), { field: 'args' }).length, 7001);
  assert.equal(encodePayload([1e-7, 0], { field: 'args', maxBytes: 20 }), '[1e-7,0]');
});

test('a property that is undefined is left out, as JSON does', () => {
  assert.equal(encodePayload({ a: undefined, b: 1 }, { field: 'args' }), '{"b":1}');
});

test('undefined is refused where leaving it out would change the meaning', () => {
  const problem = 'is undefined, which JSON does not have: use null, or leave out what has no value';
  refused(undefined, 'args', problem);
  refused({ items: [1, undefined] }, 'args.items[1]', problem);
  refused(
    { items: Array(2) },
    'args.items[0]',
    'is a hole in the array, which JSON turns into null: use null',
  );
});

test('numbers that JSON does not keep are refused', () => {
  refused(
    { items: [0, 1, 2, { price: NaN }] },
    'args.items[3].price',
    'is NaN, which JSON does not have: use null or a string',
  );
  refused(Infinity, 'args', 'is Infinity, which JSON does not have: use null or a string');
  refused([-0], 'args[0]', 'is -0, which JSON turns into 0: use 0');
  refused(
    { id: 2 ** 53 },
    'args.id',
    'is the integer 9007199254740992, beyond 2^53 - 1 and so not exact: use a string',
  );
  refused({ id: 5n }, 'args.id', 'is the BigInt 5, which JSON does not have: use a string');
});

test('objects that JSON does not keep are refused', () => {
  class Money {
    cents = 5;
  }
  refused(
    { at: new Date(0) },
    'args.at',
    'is a Date, which JSON turns into a string: use date.toISOString()',
  );
  refused(
    { m: new Map() },
    'args.m',
    'is a Map, which JSON turns into {}: use Object.fromEntries() or an array',
  );
  refused(
    { s: new Set() },
    'args.s',
    'is a Set, which JSON turns into {}: use Object.fromEntries() or an array',
  );
  const binary = 'is binary data, which JSON does not have: use a base64 string';
  for (const bytes of [Buffer.from('a'), new Uint8Array(1), new Float64Array(1)])
    refused({ bytes }, 'args.bytes', binary);
  refused({ a: new Money() }, 'args.a', 'is a Money, not a plain object: give its fields as a plain object');
  refused(
    { a: new Error('x') },
    'args.a',
    'is an Error, not a plain object: give its fields as a plain object',
  );
  refused({ a: /x/ }, 'args.a', 'is a RegExp, not a plain object: give its fields as a plain object');
  refused(
    { a: new String('x') },
    'args.a',
    'is a String, not a plain object: give its fields as a plain object',
  );
  refused(
    { a: { toJSON: () => 1 } },
    'args.a',
    'is an object, not a plain object: give its fields as a plain object',
  );
  refused({ 'a b': () => 1 }, 'args["a b"]', 'is a function, which JSON does not have: remove it');
  refused({ a: Symbol('s') }, 'args.a', 'is a symbol, which JSON does not have: remove it');
});

test('cycles and depth are refused, a value used twice is not', () => {
  const parent: Record<string, unknown> = {};
  parent['children'] = [{ parent }];
  refused(parent, 'args.children[0].parent', 'refers to an object that contains it: break the cycle');
  const shared = { a: 1 };
  assert.equal(encodePayload([shared, shared], { field: 'args' }), '[{"a":1},{"a":1}]');
  let deep: unknown = 1;
  for (let level = 0; level < 501; level += 1) deep = [deep];
  refused(deep, `args${'[0]'.repeat(500)}`, 'is nested deeper than 500 levels: flatten it');
});

test('text that PostgreSQL cannot store is refused, in keys too', () => {
  const remedy = 'which PostgreSQL cannot store: remove it or encode the text';
  refused({ a: 'x\0' }, 'args.a', `holds a NUL character, ${remedy}`);
  refused(['\ud800'], 'args[0]', `holds a lone surrogate, ${remedy}`);
  refused({ 'k\0': 1 }, 'args["k\\u0000"]', `has in its name a NUL character, ${remedy}`);
});

test('a getter that throws is told with its path', () => {
  const value = {
    get a(): never {
      throw new Error('no');
    },
  };
  refused({ value }, 'args.value.a', 'cannot be read: a getter or proxy threw');
});

test('an own key named __proto__ comes back as one', () => {
  const value: unknown = JSON.parse('{"__proto__":{"admin":true}}');
  const back = JSON.parse(encodePayload(value, { field: 'args' })) as object;
  assert.deepEqual(Object.keys(back), ['__proto__']);
  assert.equal('admin' in back, false);
});

test('the limit counts bytes of UTF-8', () => {
  const remedy = 'store the data elsewhere and pass a reference';
  assert.equal(encodePayload('é', { field: 'args', maxBytes: 4 }), '"é"');
  assert.throws(() => encodePayload('éé', { field: 'args', maxBytes: 4 }), {
    message: `args is 6 bytes of JSON, more than 4: ${remedy}`,
  });
  assert.equal(encodePayload('x'.repeat(1_048_574), { field: 'args' }).length, 1_048_576);
  refused('x'.repeat(1_048_575), 'args', `is 1048577 bytes of JSON, more than 1048576: ${remedy}`);
});

test('whatever is accepted comes back the same', () => {
  const leaf = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
  );
  const key = fc.oneof(fc.string(), fc.constant('__proto__'), fc.constant('toString'));
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof({ depthSize: 'small' }, leaf, fc.array(tie('tree')), fc.dictionary(key, tie('tree'))),
  }));
  const attempt = (value: unknown): string | undefined => {
    try {
      return encodePayload(value, { field: 'args' });
    } catch {
      return undefined;
    }
  };
  fc.assert(
    fc.property(tree, (value) => {
      const text = attempt(value);
      if (text !== undefined) assert.deepEqual(normal(JSON.parse(text)), normal(value));
    }),
  );
});

/** fast-check makes dictionaries without a prototype; only what is in them counts. */
function normal(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normal);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value).map(([key, entry]) => [key, normal(entry)]);
}

test('any value is either refused with a path or encoded to valid JSON', () => {
  const anything = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withTypedArray: true,
    withSparseArray: true,
  });
  fc.assert(
    fc.property(anything, (value) => {
      try {
        JSON.parse(encodePayload(value, { field: 'args' }));
      } catch (error) {
        assert.equal((error as { code?: string }).code, 'PAYLOAD_INVALID');
        assert.match((error as { path: string }).path, /^args/);
      }
    }),
  );
});

test('an output is cleaned where args would be refused for their text', () => {
  assert.equal(encodeOutput(undefined), null);
  assert.equal(encodeOutput({ 'k\0': ['a\0b', '\ud800', '😀'] }), '{"k":["ab","","😀"]}');
  assert.equal(encodeOutput(cleanText('\0')), '""');
  assert.throws(() => encodeOutput({ a: 5n }), { code: 'PAYLOAD_INVALID', path: 'output.a' });
  const nested: unknown = JSON.parse('{"__proto__":{"a":"x\\u0000"}}');
  assert.equal(encodeOutput(nested), '{"__proto__":{"a":"x"}}');
});
