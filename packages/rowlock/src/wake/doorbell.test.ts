import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { answerDelayMs, doorbellChannel, parseRing } from './doorbell.js';

test('a channel name holds the schema while 63 bytes allow it, and its digest otherwise', () => {
  assert.equal(doorbellChannel('rowlock'), 'rowlock:rowlock');
  assert.equal(doorbellChannel('x'.repeat(55)), `rowlock:${'x'.repeat(55)}`);
  assert.equal(doorbellChannel('x'.repeat(56)), 'rowlock:668a72d5ba17f08e62dabcafad6db14b');
  assert.ok(Buffer.byteLength(doorbellChannel('ü'.repeat(31))) <= 63);
});

test('a well-formed payload is a ring', () => {
  const ring = { queue: 'mail', runAtUs: 1764498000000000, random: 17 };
  assert.deepEqual(parseRing('["mail", 1764498000000000, 3, 17, null]'), { ...ring, count: 3, id: null });
  const id = '9007199254740993';
  assert.deepEqual(parseRing(`["mail", 1764498000000000, 1, 17, "${id}"]`), { ...ring, count: 1, id });
});

test('foreign and hostile payloads are no rings', () => {
  const payloads = [
    '',
    'null',
    '{}',
    '[]',
    '["mail",1,1,1]',
    '["mail",1,1,1,null,1]',
    '["",1,1,1,null]',
    '[5,1,1,1,null]',
    '["mail",-1,1,1,null]',
    '["mail",5.5,1,1,null]',
    '["mail","5",1,1,null]',
    '["mail",null,1,1,null]',
    '["mail",1e300,1,1,null]',
    '["mail",1,0,1,null]',
    '["mail",1,1,null,null]',
    '["mail",1,1,1,7]',
    '["mail",1,1,1,""]',
    '["mail",1,1,1,"7 or true"]',
    `["mail",1,1,1,"${'9'.repeat(19)}"]`,
    '["proof","x"]',
    `["${'m'.repeat(2000)}",1,1,1,null]`,
    '['.repeat(900),
  ];
  for (const payload of payloads) assert.equal(parseRing(payload), null, payload.slice(0, 40));
});

test('no text at all makes the parser throw', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (payload) => {
      const ring = parseRing(payload);
      assert.ok(ring === null || ring.queue !== '');
    }),
  );
});

test('of many idle workers exactly one answers a ring for one row at once', () => {
  const ring = { random: 123_457, count: 1 };
  const delays = Array.from({ length: 40 }, (_value, rank) => answerDelayMs({ peers: 40, rank, ...ring }));
  assert.equal(delays.filter((delay) => delay === 0).length, 1);
  assert.equal(Math.max(...delays), 25);
});

test('the first to answer changes with the random number', () => {
  const first = (random: number): number =>
    [0, 1, 2, 3].findIndex((rank) => answerDelayMs({ peers: 4, rank, random, count: 1 }) === 0);
  assert.deepEqual([0, 1, 2, 3].map(first), [0, 3, 2, 1]);
});

test('more rows call more workers at once, and a lone worker never waits', () => {
  const atOnce = (count: number): number =>
    Array.from({ length: 10 }, (_value, rank) => answerDelayMs({ peers: 10, rank, random: 7, count })).filter(
      (delay) => delay === 0,
    ).length;
  assert.deepEqual([1, 4, 100].map(atOnce), [1, 4, 10]);
  assert.equal(answerDelayMs({ peers: 1, rank: 0, random: 999_999, count: 1 }), 0);
  assert.equal(answerDelayMs({ peers: 0, rank: 0, random: 999_999, count: 1 }), 0);
});
