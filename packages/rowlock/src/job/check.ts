import { describeValue } from './describe.js';
import { ConfigInvalidError } from './errors.js';

export interface Range {
  readonly min: number;
  readonly max: number;
}

/** Refuses what is not a whole number in the range. */
export function checkInteger(value: unknown, field: string, range: Range): asserts value is number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= range.min && value <= range.max)
    return;
  const problem = `must be a whole number from ${range.min} to ${range.max} (got ${describeValue(value)})`;
  throw new ConfigInvalidError(field, problem);
}

/** Refuses what is not a number in the range. */
export function checkNumber(value: unknown, field: string, { min, max }: Range): asserts value is number {
  if (typeof value === 'number' && value >= min && value <= max) return;
  throw new ConfigInvalidError(field, `must be a number from ${min} to ${max} (got ${describeValue(value)})`);
}

export function checkBoolean(value: unknown, field: string): asserts value is boolean {
  if (typeof value !== 'boolean') {
    throw new ConfigInvalidError(field, `must be true or false (got ${describeValue(value)})`);
  }
}

export function checkFunction(value: unknown, field: string): void {
  if (typeof value !== 'function') {
    throw new ConfigInvalidError(field, `must be a function (got ${describeValue(value)})`);
  }
}

/** Refuses what is not one of the words. */
export function checkChoice<Word extends string>(
  value: unknown,
  field: string,
  words: readonly Word[],
): asserts value is Word {
  if (words.includes(value as Word)) return;
  const choices = words.map((word) => `'${word}'`).join(', ');
  throw new ConfigInvalidError(field, `must be one of ${choices} (got ${describeValue(value)})`);
}

/** Refuses what is no object, and keys that no option has. */
export function checkOptions(
  options: unknown,
  field: string,
  known: readonly string[],
): asserts options is object {
  if (!isObject(options))
    throw noObject(options, field === '' ? 'options' : field, `its options are ${known.join(', ')}`);
  checkKeys(options, field, known);
}

/** Refuses what is no object; `remedy` says what it should hold. */
export function checkObject(value: unknown, field: string, remedy: string): asserts value is object {
  if (!isObject(value)) throw noObject(value, field, remedy);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function noObject(value: unknown, field: string, remedy: string): ConfigInvalidError {
  return new ConfigInvalidError(field, `must be an object (got ${describeValue(value)}): ${remedy}`);
}

/** Refuses keys that no option has, with the likeliest meant one. */
export function checkKeys(options: object, field: string, known: readonly string[]): void {
  for (const key of Object.keys(options)) {
    if (known.includes(key)) continue;
    const nearest = nearestTo(key, known);
    const remedy = nearest === undefined ? `known are ${known.join(', ')}` : `did you mean '${nearest}'?`;
    throw new ConfigInvalidError(field === '' ? key : `${field}.${key}`, `is not an option: ${remedy}`);
  }
}

function nearestTo(key: string, known: readonly string[]): string | undefined {
  const wanted = key.toLowerCase();
  const ranked = known
    .map((word) => ({ word, distance: editDistance(wanted, word.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best !== undefined && best.distance <= Math.max(2, Math.floor(key.length / 3))
    ? best.word
    : undefined;
}

/** Levenshtein distance, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
