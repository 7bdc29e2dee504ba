import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Instant } from './instant.js';
import { toMicroseconds } from './instant.js';

const hint = ": use a Date, a Temporal.Instant or an ISO string with offset like '2026-03-01T09:00:00Z'";

function refused(value: unknown, problem: string): void {
  assert.throws(() => toMicroseconds(value as Instant, 'runAt'), {
    code: 'CONFIG_INVALID',
    field: 'runAt',
    message: `runAt ${problem}${hint}`,
  });
}

test('an instant is a Date, an ISO string with its offset, or a Temporal.Instant', () => {
  const nine = Date.UTC(2026, 2, 1, 9) * 1_000;
  const cases: [Instant, number][] = [
    [new Date(nine / 1_000), nine],
    ['2026-03-01T09:00:00Z', nine],
    ['2026-03-01T10:00+01:00', nine],
    ['2026-03-01 10:00:00+0100', nine],
    ['2026-03-01T03:30:00.000-05:30', nine],
    ['2026-03-01T10:00:00+01', nine],
    ['2026-03-01T09:00:00.1234567Z', nine + 123_456],
    [{ epochMilliseconds: nine / 1_000 }, nine],
    [{ epochMilliseconds: nine / 1_000, epochNanoseconds: BigInt(nine) * 1_000n + 7_999n }, nine + 7],
  ];
  for (const [value, microseconds] of cases) assert.equal(toMicroseconds(value, 'runAt'), microseconds);
});

test('an instant that cannot be meant is refused', () => {
  refused('2026-01-01T00:00:00+99:99', 'has an offset that does not exist (got "2026-01-01T00:00:00+99:99")');
  refused('2026-03-01T09:00:00', 'has no offset from UTC (got "2026-03-01T09:00:00")');
  refused('2026-03-01', 'is not an ISO 8601 date and time (got "2026-03-01")');
  refused('tomorrow', 'is not an ISO 8601 date and time (got "tomorrow")');
  refused('2026-02-30T09:00:00Z', 'is not a valid time (got "2026-02-30T09:00:00Z")');
  refused('2026-13-01T09:00:00Z', 'is not a valid time (got "2026-13-01T09:00:00Z")');
  refused('2026-03-01T24:00:00Z', 'is not a valid time (got "2026-03-01T24:00:00Z")');
  refused(new Date(NaN), 'is not a valid time (got a Date)');
  refused('1969-12-31T23:59:59Z', 'is not between 1970 and 2200 (got "1969-12-31T23:59:59Z")');
  refused(new Date(8e15), 'is not between 1970 and 2200 (got a Date)');
  refused(1_700_000_000_000, 'is not an instant (got 1700000000000)');
  refused(null, 'is not an instant (got null)');
  refused({}, 'is not an instant (got an object)');
});

test('every Date comes back through its ISO string', () => {
  const dates = fc.date({ min: new Date(0), max: new Date('2199-12-31T00:00:00Z'), noInvalidDate: true });
  fc.assert(
    fc.property(
      dates,
      (date) => toMicroseconds(date.toISOString(), 'runAt') === toMicroseconds(date, 'runAt'),
    ),
  );
});
