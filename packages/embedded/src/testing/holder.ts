import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Account } from '../account.js';
import type { ServerOptions } from '../options.js';

export interface Held {
  readonly url: string;
  readonly dataDir: string;
  readonly postmasterPid: number;
  readonly uid: number | null;
}

export interface Holding {
  /** The compiled package. */
  readonly dist: string;
  readonly options: ServerOptions;
  /** Its TMPDIR, and so the place of everything it must remove. */
  readonly temporary: string;
  readonly account?: Account;
}

/** Another process that holds a server: to be killed, or to run as another user. */
export class Holder {
  readonly process: ChildProcess;

  constructor({ dist, options, temporary, account }: Holding) {
    this.process = spawn(
      process.execPath,
      [join(dist, 'testing', 'hold-server.js'), JSON.stringify(options)],
      {
        cwd: '/',
        env: { PATH: process.env['PATH'], TMPDIR: temporary },
        stdio: ['pipe', 'pipe', 'inherit'],
        ...(account === undefined ? {} : { uid: account.uid, gid: account.gid }),
      },
    );
  }

  async held(): Promise<Held> {
    const { stdout } = this.process;
    if (stdout !== null) for await (const line of createInterface(stdout)) return JSON.parse(line) as Held;
    throw new Error('the process ended without a server');
  }

  async kill(): Promise<void> {
    const ended = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await ended;
  }

  async stop(): Promise<number | null> {
    const ended = once(this.process, 'exit') as Promise<[number | null]>;
    this.process.stdin?.end();
    return (await ended)[0];
  }
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
