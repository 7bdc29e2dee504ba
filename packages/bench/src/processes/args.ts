import type { BenchArgs } from '../systems/system.js';

/** Letters without a pattern: repeated ones would be compressed to nothing where they are stored. */
export function argsOfLength(bytes: number): BenchArgs {
  const frame = JSON.stringify({ pad: '' }).length;
  return { pad: noise(bytes - frame) };
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** The same in every run: a linear congruential generator (multiplier and increment of Numerical Recipes). */
function noise(length: number): string {
  let state = 1;
  let text = '';
  while (text.length < length) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += alphabet[state >>> 26] ?? '';
  }
  return text;
}
