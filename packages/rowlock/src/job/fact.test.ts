import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { custom, fixed } from './backoff.js';
import { NonRetryableError } from './errors.js';
import type { Fact } from './fact.js';
import { encodeFact, factOf, factOfThrown } from './fact.js';
import { cancel, discard, isOutcome, retry, snooze } from './outcome.js';

test('each outcome a handler may return is one fact', () => {
  assert.deepEqual(factOf(snooze('5m')), { outcome: 'snooze', delayMs: 300_000 });
  assert.deepEqual(factOf(retry({ in: '1s' })), { outcome: 'retry', delayMs: 1_000 });
  assert.deepEqual(factOf(cancel('no longer wanted')), { outcome: 'cancel', reason: 'no longer wanted' });
  assert.deepEqual(factOf(discard('no such user')), { outcome: 'discard', reason: 'no such user' });
});

test('an outcome is known by its mark alone', () => {
  assert.equal(isOutcome({ outcome: 'snooze', delayMs: 1 }), false);
  assert.equal(isOutcome(null), false);
  assert.equal(isOutcome(snooze(1)), true);
  assert.deepEqual(factOf({ outcome: 'cancel', reason: 'mine' }), {
    outcome: 'completed',
    output: '{"outcome":"cancel","reason":"mine"}',
  });
});

test('what another version of the package made and this one does not know fails the attempt', () => {
  const foreign = (fields: object): Fact => factOf({ [Symbol.for('rowlock.outcome')]: true, ...fields });
  for (const fields of [
    { outcome: 'pause' },
    {},
    { outcome: 'snooze', delayMs: -5000 },
    { outcome: 'retry' },
  ]) {
    const fact = foreign(fields);
    assert.deepEqual([fact.outcome, fact.error?.code], ['failed', 'CONFIG_INVALID']);
  }
  assert.deepEqual(foreign({ outcome: 'cancel' }).outcome, 'cancel');
});

test('a reason is cleaned and bounded', () => {
  assert.equal(factOf(cancel('a\0b\ud800c')).reason, 'abc');
  assert.equal(factOf(discard('x'.repeat(5_000))).reason?.length, 1_000);
  assert.equal(factOf(cancel(new Error('gone') as unknown as string)).reason, 'gone');
});

test('a duration that cannot work is refused where the outcome is made', () => {
  assert.throws(() => snooze(-1), { code: 'CONFIG_INVALID', field: 'snooze delay' });
  assert.throws(() => retry(undefined as never), { code: 'CONFIG_INVALID', field: 'retry' });
  assert.throws(() => retry({ in: NaN }), { code: 'CONFIG_INVALID', field: 'retry in' });
});

test('what a handler returns is its output', () => {
  assert.deepEqual(factOf(undefined), { outcome: 'completed' });
  assert.deepEqual(factOf(null), { outcome: 'completed', output: 'null' });
  assert.deepEqual(factOf({ id: 1 }), { outcome: 'completed', output: '{"id":1}' });
});

test('an output that cannot be stored fails the attempt', () => {
  const fact = factOf({ at: [new Date(0)] });
  assert.equal(fact.outcome, 'failed');
  assert.equal(fact.error?.code, 'PAYLOAD_INVALID');
  assert.equal(
    fact.error.message,
    'output.at[0] is a Date, which JSON turns into a string: use date.toISOString()',
  );
});

test('a thrown error fails the attempt; SQL chooses the delay unless a custom backoff does', () => {
  const error = Object.assign(new Error('no route'), { code: 'EHOSTUNREACH' });
  const fact = factOfThrown(error, 2, fixed());
  assert.equal(fact.outcome, 'failed');
  assert.equal('delayMs' in fact, false);
  assert.equal(fact.error?.name, 'Error');
  assert.equal(fact.error.message, 'no route');
  assert.equal(fact.error.code, 'EHOSTUNREACH');
  const backoff = custom((attempt, thrown) => (thrown === error ? attempt * 10 : 0), { fallback: fixed() });
  assert.equal(factOfThrown(error, 2, backoff).delayMs, 20);
});

test('a non-retryable error discards the job, whichever copy of the package made it', () => {
  const fact = factOfThrown(new NonRetryableError('no such user'), 1, fixed());
  assert.equal(fact.outcome, 'discard');
  assert.equal(fact.reason, 'no such user');
  assert.equal(fact.error?.name, 'NonRetryableError');
  assert.equal(
    factOfThrown({ code: 'NON_RETRYABLE', message: 'of another copy' }, 1, fixed()).outcome,
    'discard',
  );
});

test('a fact is sent as JSON with its output as it is', () => {
  const check = (fact: Parameters<typeof encodeFact>[0], parsed: unknown): void => {
    assert.deepEqual(JSON.parse(encodeFact(fact)), parsed);
  };
  check({ outcome: 'completed' }, { outcome: 'completed' });
  check({ outcome: 'completed', output: '{"a":[1]}' }, { outcome: 'completed', output: { a: [1] } });
  check({ outcome: 'snooze', delayMs: 5 }, { outcome: 'snooze', delayMs: 5 });
});

test('any returned value becomes a fact that is JSON', () => {
  const anything = fc.anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true });
  fc.assert(fc.property(anything, (value) => Boolean(JSON.parse(encodeFact(factOf(value))))));
});

test('any thrown value becomes a fact that is JSON', () => {
  const anything = fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true });
  fc.assert(
    fc.property(anything, (value) => Boolean(JSON.parse(encodeFact(factOfThrown(value, 1, fixed()))))),
  );
});
