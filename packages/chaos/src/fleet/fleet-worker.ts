import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openSync, closeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { WorkerHealth } from 'rowlock';
import type { FromWorker, ToWorker, WorkerSettings } from './messages.js';

const program = fileURLToPath(new URL('./worker-process.js', import.meta.url));

/** How a process ended that nobody had ended. */
export interface UnexpectedEnd {
  readonly pid: number;
  readonly how: string;
}

/** One worker process, from its fork to its end. */
export class FleetWorker {
  readonly pid: number;
  readonly ended: Promise<void>;
  health: WorkerHealth | undefined;
  /** Worker ids it has had: more than one when an incarnation ended. */
  registrations = 0;
  frozen = false;
  unexpectedEnd: UnexpectedEnd | undefined;
  readonly #child: ChildProcess;
  #mayEnd = false;

  constructor(settings: WorkerSettings, errorLog: string) {
    const log = openSync(errorLog, 'a');
    this.#child = fork(program, { stdio: ['ignore', log, log, 'ipc'], execArgv: ['--enable-source-maps'] });
    closeSync(log);
    this.pid = this.#child.pid ?? 0;
    const exit = once(this.#child, 'exit') as Promise<[code: number | null, signal: string | null]>;
    this.ended = exit.then(([code, signal]) => this.#noteEnd(code ?? signal));
    this.#child.on('message', (message: FromWorker) => this.#hear(message));
    this.#child.on('error', () => undefined);
    this.#send({ type: 'begin', settings });
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Handlers running, as it last told. */
  get running(): number {
    return this.isAlive ? (this.health?.running ?? 0) : 0;
  }

  async kill(): Promise<void> {
    this.#mayEnd = true;
    this.#child.kill('SIGKILL');
    await this.ended;
  }

  freeze(): void {
    this.frozen = true;
    this.#child.kill('SIGSTOP');
  }

  thaw(): void {
    this.frozen = false;
    this.#child.kill('SIGCONT');
  }

  /** Blocks its event loop; resolves once that is over, or the process is. */
  async block(ms: number): Promise<void> {
    const over = new Promise<void>((resolve) => {
      const listener = (message: FromWorker): void => {
        if (message.type !== 'unblocked') return;
        this.#child.off('message', listener);
        resolve();
      };
      this.#child.on('message', listener);
    });
    this.#send({ type: 'block', ms });
    await Promise.race([over, this.ended]);
  }

  stop(): Promise<void> {
    this.#mayEnd = true;
    this.#send({ type: 'stop' });
    return this.ended;
  }

  #hear(message: FromWorker): void {
    if (message.type === 'health') this.health = message.health;
    else if (message.type === 'registered') this.registrations += 1;
  }

  #noteEnd(how: string | number | null): void {
    if (!this.#mayEnd) this.unexpectedEnd = { pid: this.pid, how: String(how) };
  }

  #send(message: ToWorker): void {
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }
}
