import { createHash } from 'node:crypto';
import { constants, open } from 'node:fs/promises';
import { cancel, defineJob, exponential, type } from 'rowlock';
import type { Outcome } from 'rowlock';
import { languageOf } from './languages.js';
import { LineCounter } from './line-counter.js';
import { unreadableCode } from './unreadable.js';

/** What the census knows of a file. */
export interface FileCount {
  readonly sha256: string;
  readonly bytes: number;
  readonly lines: number;
  readonly language: string;
}

/** The kind of job this example is about: one per file. */
export const countFile = defineJob('count_file', {
  args: type<{ path: string }>(),
  output: type<FileCount>(),
  queue: 'census',
  maxAttempts: 5,
  backoff: exponential({ base: '200ms', max: '5s' }),
});

const pieceBytes = 64 * 1024;

/** What a handler of `countFile` answers: the count, or that there is nothing to try again. Anything it throws is tried again. */
export async function countOrCancel(path: string, signal: AbortSignal): Promise<FileCount | Outcome> {
  try {
    return await count(path, signal);
  } catch (error) {
    const code = unreadableCode(error);
    if (code === undefined) throw error;
    return cancel(code);
  }
}

async function count(path: string, signal: AbortSignal): Promise<FileCount> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  const hash = createHash('sha256');
  const counter = new LineCounter();
  const buffer = Buffer.allocUnsafe(pieceBytes);
  let bytes = 0;
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(buffer);
    if (bytesRead === 0) break;
    const piece = buffer.subarray(0, bytesRead);
    hash.update(piece);
    counter.take(piece);
    bytes += bytesRead;
  }
  return { sha256: hash.digest('hex'), bytes, lines: counter.lines, language: languageOf(path) };
}
