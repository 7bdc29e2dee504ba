import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { setImmediate as letOthersRun } from 'node:timers/promises';
import type { FileCount } from './count-file.js';
import { languageOf } from './languages.js';
import { unreadableCode } from './unreadable.js';

/** What one reader sees of a file, or why it sees nothing; and when the file last changed, in ms since 1970. */
export type Recounted = (FileCount | { readonly unreadable: string }) & { readonly changedAt: number };

const buffer = Buffer.allocUnsafe(1024 * 1024);

/** Counts all files again, one after the other, with code that shares nothing with the job's. */
export async function recount(files: readonly string[], signal: AbortSignal): Promise<Recounted[]> {
  const recounted: Recounted[] = [];
  let breath = performance.now();
  for (const path of files) {
    recounted.push(recountOne(path));
    if (performance.now() - breath < 50) continue;
    await letOthersRun();
    signal.throwIfAborted();
    breath = performance.now();
  }
  return recounted;
}

function recountOne(path: string): Recounted {
  try {
    return read(path);
  } catch (error) {
    const unreadable = unreadableCode(error);
    if (unreadable === undefined) throw error;
    return { unreadable, changedAt: Infinity };
  }
}

function read(path: string): Recounted {
  const file = openSync(path, 'r');
  try {
    const hash = createHash('sha256');
    let [bytes, lines, last] = [0, 0, '\n'];
    for (let length = readSync(file, buffer); length > 0; length = readSync(file, buffer)) {
      const text = buffer.toString('latin1', 0, length);
      hash.update(buffer.subarray(0, length));
      bytes += length;
      lines += text.split('\n').length - 1;
      last = text.slice(-1);
    }
    if (last !== '\n') lines += 1;
    const { mtimeMs, ctimeMs } = fstatSync(file);
    return {
      sha256: hash.digest('hex'),
      bytes,
      lines,
      language: languageOf(path),
      changedAt: Math.max(mtimeMs, ctimeMs),
    };
  } finally {
    closeSync(file);
  }
}
