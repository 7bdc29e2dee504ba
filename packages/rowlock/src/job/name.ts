import { describeValue } from './describe.js';
import { ConfigInvalidError } from './errors.js';
import { isStorable } from './text.js';

const maxNameBytes = 200;

/** Refuses what cannot name a kind or a queue. */
export function checkName(name: unknown, field: string): asserts name is string {
  if (typeof name !== 'string') throw refusal(field, `must be a string (got ${describeValue(name)})`);
  if (name === '') throw refusal(field, 'must not be empty');
  const bytes = Buffer.byteLength(name);
  if (bytes > maxNameBytes) throw refusal(field, `is ${bytes} bytes long: use at most ${maxNameBytes}`);
  if (!isStorable(name)) throw refusal(field, 'holds a NUL character or a lone surrogate: remove it');
}

function refusal(field: string, problem: string): ConfigInvalidError {
  return new ConfigInvalidError(field, problem);
}
