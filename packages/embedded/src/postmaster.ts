import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EmbeddedError, type EmbeddedErrorCode } from './errors.js';
import type { EndSignal } from './keeper-protocol.js';
import { spawnOptions, type Program } from './program.js';
import { until } from './until.js';

/** Long enough for the recovery of a large data folder after an immediate stop. */
const readyWithin = 120_000;
const fastStopWithin = 30_000;
const readyLine = 7;

const knownFailures: readonly (readonly [RegExp, EmbeddedErrorCode])[] = [
  [/could not create any TCP\/IP sockets|Address already in use/, 'EMBEDDED_PORT_TAKEN'],
  [
    /lock file "postmaster.pid" already exists|shared memory block .* still in use/,
    'EMBEDDED_DATA_DIR_IN_USE',
  ],
  [/database files are incompatible/, 'EMBEDDED_WRONG_MAJOR'],
];

/** One run of the server process, from its start to its end. Lives in the keeper process. */
export class Postmaster {
  readonly pid: number;
  readonly ended: Promise<void>;
  readonly #process: ChildProcess;
  readonly #program: Program;

  private constructor(child: ChildProcess, program: Program) {
    this.#process = child;
    this.#program = program;
    this.pid = child.pid ?? 0;
    this.ended = once(child, 'exit').then(
      () => undefined,
      () => undefined,
    );
  }

  static spawn(program: Program, dataDir: string): Postmaster {
    // A file, not a pipe: the server must never block or die because nobody reads what it says.
    const log = openSync(logPath(dataDir), 'w', 0o600);
    try {
      return new Postmaster(
        spawn(program.file, program.args, { ...spawnOptions(program), stdio: ['ignore', log, log] }),
        program,
      );
    } finally {
      closeSync(log);
    }
  }

  get isAlive(): boolean {
    return (
      this.#process.exitCode === null && this.#process.signalCode === null && this.#process.pid !== undefined
    );
  }

  /** Resolves when the server accepts connections, which it tells in its lock file as it tells pg_ctl. */
  async ready(dataDir: string): Promise<void> {
    const isReady = async (): Promise<boolean> => {
      const lines = (await readFile(join(dataDir, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
      return lines[0] === String(this.pid) && lines[readyLine]?.trim() === 'ready';
    };
    const isSettled = await until(async () => !this.isAlive || (await isReady()), { within: readyWithin });
    if (this.isAlive && isSettled) return;
    const log = await readFile(logPath(dataDir), 'utf8').catch(() => '');
    await this.halt('SIGQUIT');
    const code = knownFailures.find(([pattern]) => pattern.test(log))?.[1] ?? 'EMBEDDED_START_FAILED';
    throw new EmbeddedError(
      code,
      `PostgreSQL did not start${isSettled ? '' : ' in time'}. Its log ends with:\n${log.trim().split('\n').slice(-15).join('\n')}`,
    );
  }

  async halt(signal: EndSignal): Promise<void> {
    if (!this.isAlive) return;
    await this.#send(signal);
    if (signal === 'SIGINT' && !(await this.#endedWithin(fastStopWithin))) await this.#send('SIGQUIT');
    await this.ended;
  }

  async #endedWithin(within: number): Promise<boolean> {
    const timer = new AbortController();
    try {
      return await Promise.race([
        this.ended.then(() => true),
        until(() => timer.signal.aborted, { within, every: 100 }),
      ]);
    } finally {
      timer.abort();
    }
  }

  async #send(signal: EndSignal): Promise<void> {
    if (process.platform !== 'win32') {
      this.#process.kill(signal);
      return;
    }
    // Windows has no signals; pg_ctl speaks to the server's own substitute for them.
    const sender = execFile(join(dirname(this.#program.file), 'pg_ctl.exe'), [
      'kill',
      signal.slice(3),
      String(this.pid),
    ]);
    await once(sender, 'exit');
  }
}

export function logPath(dataDir: string): string {
  return join(dataDir, 'server.log');
}
