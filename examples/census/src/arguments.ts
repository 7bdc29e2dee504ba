import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

export const usage = `Usage: npm run demo [-- [--workers N] [FOLDER]]

Counts every file below FOLDER (by default this repository) by a job of its own, in N worker processes
(2 to 16, by default 3), and kills one of them at work. Exit code 0: nothing was lost.`;

export interface Arguments {
  readonly folder: string;
  readonly workers: number;
  readonly help: boolean;
}

const repository = fileURLToPath(new URL('../../..', import.meta.url));

/** Throws an error that says what to correct. */
export function readArguments(args: readonly string[], from: string): Arguments {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      workers: { type: 'string', default: '3' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const [folder = repository, ...others] = positionals;
  if (others.length > 0) throw new Error(`one folder at a time, not also ${others.join(' ')}`);
  const workers = Number(values.workers);
  if (!Number.isInteger(workers) || workers < 2 || workers > 16)
    throw new Error('--workers must be a whole number from 2 to 16');
  return { folder: resolve(from, folder), workers, help: values.help };
}
