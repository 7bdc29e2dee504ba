import { EmbeddedError } from './errors.js';
import type { ServerOptions } from './options.js';

/** What each option must be, in words, and whether a value is. */
const rules: Readonly<Record<keyof ServerOptions, readonly [must: string, is: (value: unknown) => boolean]>> =
  {
    major: ['14, 15, 16, 17 or 18', (value) => isWhole(value, 14, 18)],
    dataDir: ['the path of a folder', isText],
    port: ['a whole number from 1 to 65535', (value) => isWhole(value, 1, 65_535)],
    settings: ["an object of texts, like { work_mem: '8MB' }", isTexts],
    ignoreDatabaseUrl: ['true or false', (value) => typeof value === 'boolean'],
    binDir: ['the folder that holds postgres and initdb', isText],
  };

/** Throws `EMBEDDED_OPTION_INVALID` for the first option that cannot work. */
export function checkOptions(options: ServerOptions): void {
  if (typeof options !== 'object' || (options as unknown) === null)
    throw invalid('options', `must be an object: known are ${Object.keys(rules).join(', ')}`);
  for (const [name, value] of Object.entries(options)) {
    const rule = Object.hasOwn(rules, name) ? rules[name as keyof ServerOptions] : undefined;
    if (rule === undefined)
      throw invalid(name, `is not an option: known are ${Object.keys(rules).join(', ')}`);
    if (value !== undefined && !rule[1](value)) throw invalid(name, `must be ${rule[0]}`);
  }
}

function invalid(name: string, problem: string): EmbeddedError {
  return new EmbeddedError('EMBEDDED_OPTION_INVALID', `${name} ${problem}.`);
}

function isWhole(value: unknown, min: number, max: number): boolean {
  return Number.isInteger(value) && Number(value) >= min && Number(value) <= max;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isTexts(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((each) => typeof each === 'string')
  );
}
