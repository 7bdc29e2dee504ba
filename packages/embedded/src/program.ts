import { execFile, type SpawnOptions } from 'node:child_process';
import { promisify } from 'node:util';
import type { Account } from './account.js';

export interface Program {
  readonly file: string;
  readonly args: readonly string[];
  readonly account: Account | null;
}

const run = promisify(execFile);

/** C messages are what the keeper reads; TZ spares initdb its slow guess of the time zone. */
export const environment: NodeJS.ProcessEnv = {
  PATH: process.env['PATH'],
  SystemRoot: process.env['SystemRoot'],
  LC_ALL: 'C',
  TZ: 'UTC',
};

/** Detached, so that Ctrl-C in a terminal reaches the parent alone and it can still use the server while it winds up. */
export function spawnOptions({ account }: Pick<Program, 'account'>): SpawnOptions {
  return {
    cwd: process.platform === 'win32' ? process.cwd() : '/',
    env: environment,
    detached: true,
    windowsHide: true,
    ...identity(account),
  };
}

export async function output({ file, args, account }: Program): Promise<string> {
  const { stdout } = await run(file, [...args], {
    cwd: '/',
    env: environment,
    windowsHide: true,
    timeout: 30_000,
    ...identity(account),
  });
  return stdout;
}

function identity(account: Account | null): { uid?: number; gid?: number } {
  return account === null ? {} : { uid: account.uid, gid: account.gid };
}
