import { describeValue } from './describe.js';
import { ConfigInvalidError } from './errors.js';

export type DurationUnit = 'ms' | 's' | 'm' | 'h' | 'd' | 'w';

/** A length of time: milliseconds as a number, or a number and a unit such as `'30s'`, `'1.5h'`, `'7d'`. */
export type Duration = number | `${number}${DurationUnit}`;

const millisecondsPer: Record<DurationUnit, number> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** 100 years of 365 days: beyond it a value is a mistake, and instants would leave the range of a safe integer. */
export const longestDuration = 100 * 365 * millisecondsPer.d;

const shape = /^(\d+(?:\.\d+)?)(ms|s|m|h|d|w)$/;

/** Whole milliseconds of a duration; `field` names the option in the error. */
export function toMilliseconds(value: Duration, field: string): number {
  const milliseconds = typeof value === 'number' ? value : parse(value, field);
  if (Number.isNaN(milliseconds)) throw refusal(field, value, 'is not a number');
  if (milliseconds < 0) throw refusal(field, value, 'is negative');
  if (milliseconds === Infinity) throw refusal(field, value, 'is infinite');
  if (milliseconds > longestDuration) throw refusal(field, value, 'is longer than 100 years');
  return Math.round(milliseconds);
}

/** As `toMilliseconds`, for what must take some time. */
export function toPositiveMilliseconds(value: Duration, field: string): number {
  const milliseconds = toMilliseconds(value, field);
  if (milliseconds === 0) throw refusal(field, value, 'must be longer than 0 ms');
  return milliseconds;
}

function parse(value: unknown, field: string): number {
  const match = typeof value === 'string' ? shape.exec(value) : null;
  if (match === null) throw refusal(field, value, 'is not a duration');
  return Number(match[1]) * millisecondsPer[match[2] as DurationUnit];
}

function refusal(field: string, value: unknown, problem: string): ConfigInvalidError {
  const remedy = "use milliseconds or a string like '500ms', '30s', '15m', '2h', '7d'";
  return new ConfigInvalidError(field, `${problem} (got ${describeValue(value)}): ${remedy}`);
}
