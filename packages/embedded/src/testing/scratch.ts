import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Scratch extends AsyncDisposable {
  readonly path: string;
}

/** A folder for one test that every account may enter. */
export async function makeScratch(): Promise<Scratch> {
  const path = await mkdtemp(join(tmpdir(), 'rowlock-test-'));
  await chmod(path, 0o755);
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
