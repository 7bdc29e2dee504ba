import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { EmbeddedError } from './errors.js';
import type { Command, Reply } from './keeper-protocol.js';
import { environment } from './program.js';

interface Pending {
  readonly resolve: (value: string) => void;
  readonly reject: (error: EmbeddedError) => void;
}

/** Our end of the channel to the keeper process, which owns the server and everything temporary. */
export class Keeper {
  readonly #process: ChildProcess;
  readonly #pending = new Map<number, Pending>();
  #last = 0;

  /** @param onExit told when a postmaster has ended, asked for or not */
  constructor(onExit: (pid: number) => void) {
    this.#process = fork(fileURLToPath(new URL('./keeper-process.js', import.meta.url)), {
      cwd: process.platform === 'win32' ? process.cwd() : '/',
      detached: true,
      env: environment,
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#process.on('message', (reply: Reply) => {
      if ('exited' in reply) onExit(reply.exited);
      else this.#settle(reply);
    });
    this.#process.on('error', () => this.#loseAll());
    this.#process.on('exit', () => this.#loseAll());
    this.#rest();
  }

  ask(command: Command): Promise<string> {
    if (!this.#process.connected) return Promise.reject(lost());
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#process.ref();
      this.#process.channel?.ref();
      this.#process.send({ ...command, id }, (error) => {
        if (error !== null) this.#loseAll();
      });
    });
  }

  /** Ends the server, removes what is temporary, and waits until the keeper itself is gone. */
  async close(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    this.#process.ref();
    const gone = once(this.#process, 'exit');
    if (this.#process.connected) this.#process.disconnect();
    await gone;
  }

  #settle(reply: Exclude<Reply, { exited: number }>): void {
    const pending = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if (this.#pending.size === 0) this.#rest();
    if ('value' in reply) pending?.resolve(reply.value);
    else pending?.reject(new EmbeddedError(reply.failure.code, reply.failure.message));
  }

  #loseAll(): void {
    for (const { reject } of this.#pending.values()) reject(lost());
    this.#pending.clear();
  }

  // A program that forgets to stop its server may still end: the keeper then cleans up.
  #rest(): void {
    this.#process.unref();
    this.#process.channel?.unref();
  }
}

function lost(): EmbeddedError {
  return new EmbeddedError(
    'EMBEDDED_KEEPER_LOST',
    'The process that keeps the embedded server has ended. Start a new server.',
  );
}
