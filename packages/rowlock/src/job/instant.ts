import { describeValue } from './describe.js';
import { ConfigInvalidError } from './errors.js';

/** What `Temporal.Instant` and `Temporal.ZonedDateTime` have in common. */
export interface TemporalInstant {
  readonly epochMilliseconds: number;
  readonly epochNanoseconds?: bigint;
}

/** A point in time: a Date, an ISO 8601 string with its offset (`'2026-03-01T09:00:00+01:00'`), or a Temporal.Instant. */
export type Instant = Date | string | TemporalInstant;

// Microseconds leave the range of a safe integer in 2255.
const earliest = Date.UTC(1970, 0, 1) * 1_000;
const latest = Date.UTC(2200, 0, 1) * 1_000;

/** Microseconds since 1970; `field` names the option in the error. */
export function toMicroseconds(value: Instant, field: string): number {
  const microseconds = read(value, field);
  if (Number.isNaN(microseconds)) throw refusal(field, value, 'is not a valid time');
  if (microseconds < earliest || microseconds >= latest)
    throw refusal(field, value, 'is not between 1970 and 2200');
  return microseconds;
}

function read(value: Instant, field: string): number {
  if (typeof value === 'string') return parseIso(value, field);
  if (typeof value !== 'object' || value === null) throw refusal(field, value, 'is not an instant');
  if ('epochMilliseconds' in value) return fromTemporal(value);
  // By its tag: a Date of another realm is no instance of this one's.
  if (Object.prototype.toString.call(value) === '[object Date]') return value.getTime() * 1_000;
  throw refusal(field, value, 'is not an instant');
}

function fromTemporal(value: TemporalInstant): number {
  if (typeof value.epochNanoseconds === 'bigint') return Number(value.epochNanoseconds / 1_000n);
  return value.epochMilliseconds * 1_000;
}

const iso = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d(?::?\d\d)?)?$/i;

function parseIso(text: string, field: string): number {
  const match = iso.exec(text);
  if (match === null) throw refusal(field, text, 'is not an ISO 8601 date and time');
  const [, year, month, day, hour, minute, second = '0', fraction = '', offset] = match;
  if (offset === undefined) throw refusal(field, text, 'has no offset from UTC');
  const wanted = [
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  ] as const;
  const milliseconds = Date.UTC(...wanted);
  // Date.UTC rolls 30 February over to March; what comes back differs then.
  const date = new Date(milliseconds);
  const got = [
    date.getUTCFullYear(),
    date.getUTCMonth(),
    date.getUTCDate(),
    date.getUTCHours(),
    date.getUTCMinutes(),
    date.getUTCSeconds(),
  ];
  if (got.some((part, index) => part !== wanted[index])) throw refusal(field, text, 'is not a valid time');
  const ahead = offsetMilliseconds(offset);
  if (Number.isNaN(ahead)) throw refusal(field, text, 'has an offset that does not exist');
  return (milliseconds - ahead) * 1_000 + Number(fraction.padEnd(6, '0').slice(0, 6));
}

/** NaN beyond what PostgreSQL takes, 15:59. */
function offsetMilliseconds(offset: string): number {
  if (offset.toUpperCase() === 'Z') return 0;
  const digits = offset.slice(1).replace(':', '');
  const [hours, minutes] = [Number(digits.slice(0, 2)), Number(digits.slice(2) || 0)];
  if (hours > 15 || minutes > 59) return NaN;
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

function refusal(field: string, value: unknown, problem: string): ConfigInvalidError {
  const remedy = "use a Date, a Temporal.Instant or an ISO string with offset like '2026-03-01T09:00:00Z'";
  return new ConfigInvalidError(field, `${problem} (got ${describeValue(value)}): ${remedy}`);
}
