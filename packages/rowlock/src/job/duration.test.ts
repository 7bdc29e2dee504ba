import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Duration } from './duration.js';
import { longestDuration, toMilliseconds, toPositiveMilliseconds } from './duration.js';

const hint = ": use milliseconds or a string like '500ms', '30s', '15m', '2h', '7d'";

function refused(value: unknown, problem: string): void {
  assert.throws(() => toMilliseconds(value as Duration, 'timeout'), {
    name: 'ConfigInvalidError',
    code: 'CONFIG_INVALID',
    field: 'timeout',
    message: `timeout ${problem}${hint}`,
  });
}

test('a duration is milliseconds or a number with a unit', () => {
  const cases: [Duration, number][] = [
    [0, 0],
    [1_500, 1_500],
    ['0s', 0],
    ['500ms', 500],
    ['30s', 30_000],
    ['15m', 900_000],
    ['1.5h', 5_400_000],
    ['7d', 604_800_000],
    ['2w', 1_209_600_000],
    [longestDuration, longestDuration],
  ];
  for (const [value, milliseconds] of cases) assert.equal(toMilliseconds(value, 'timeout'), milliseconds);
});

test('a duration that cannot work is refused with field, value and remedy', () => {
  refused(NaN, 'is not a number (got NaN)');
  refused(-1, 'is negative (got -1)');
  refused(Infinity, 'is infinite (got Infinity)');
  refused(-Infinity, 'is negative (got -Infinity)');
  refused(longestDuration + 1, 'is longer than 100 years (got 3153600000001)');
  refused('101000d', 'is longer than 100 years (got "101000d")');
  refused(`${'9'.repeat(400)}d`, `is infinite (got "${'9'.repeat(60)}…")`);
});

test('what has not the shape of a duration is refused', () => {
  for (const text of [
    '',
    '5',
    's',
    '-5s',
    '1e3s',
    '0x10s',
    ' 5s',
    '5 s',
    '5S',
    '5y',
    '.5s',
    '5.s',
    'Infinitys',
  ]) {
    refused(text, `is not a duration (got ${JSON.stringify(text)})`);
  }
  refused(undefined, 'is not a duration (got undefined)');
  refused(null, 'is not a duration (got null)');
  refused(5n, 'is not a duration (got 5n)');
  refused({}, 'is not a duration (got an object)');
});

test('where something must take time, zero is refused', () => {
  assert.equal(toPositiveMilliseconds('1ms', 'timeout'), 1);
  assert.throws(() => toPositiveMilliseconds('0s', 'timeout'), {
    message: `timeout must be longer than 0 ms (got "0s")${hint}`,
  });
  assert.throws(() => toPositiveMilliseconds(0.4, 'timeout'), { code: 'CONFIG_INVALID' });
});

test('any number of seconds is a thousand times as many milliseconds', () => {
  const seconds = fc.integer({ min: 0, max: longestDuration / 1_000 });
  fc.assert(fc.property(seconds, (count) => toMilliseconds(`${count}s`, 'timeout') === count * 1_000));
});
