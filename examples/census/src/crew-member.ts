import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Message, Orders } from './messages.js';

interface CrewMemberEvents {
  /** It keeps hold of the job with this id. */
  lingers: [jobId: string];
  /** It has something to say to the user. */
  says: [text: string];
  /** It ended, though nobody asked it to. */
  lost: [how: string];
}

const program = fileURLToPath(new URL('worker-process.js', import.meta.url));

/** A worker process, seen from the process that started it. */
export class CrewMember extends EventEmitter<CrewMemberEvents> {
  readonly name: string;
  /** The ids it has in the database: a new one whenever it has to register again. */
  readonly workerIds = new Set<string>();
  killed = false;
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  #dismissed = false;

  constructor(name: string, orders: Orders) {
    super();
    this.name = name;
    this.#child = fork(program, {
      env: { ...process.env, ...orders },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child.on('message', (message: Message) => this.#hear(message));
    if (this.#child.stderr !== null)
      createInterface(this.#child.stderr).on('line', (line) => this.emit('says', line));
    this.#ended = once(this.#child, 'exit').then(
      ([code, signal]) => this.#end(code as number | null, signal as string | null),
      (error: unknown) => void this.emit('lost', String(error)),
    );
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Ends the process as a crash does: it cannot say or save anything. */
  async kill(): Promise<void> {
    this.killed = true;
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  /** Lets it finish what it runs, and end. */
  async dismiss(): Promise<void> {
    this.#dismissed = true;
    this.#child.kill('SIGTERM');
    await this.#ended;
  }

  #hear(message: Message): void {
    switch (message.tells) {
      case 'registered':
        this.workerIds.add(message.workerId);
        break;
      case 'lingers':
        this.emit('lingers', message.jobId);
        break;
      case 'warning':
        this.emit('says', message.text);
        break;
    }
  }

  #end(code: number | null, signal: string | null): void {
    if (this.killed || (this.#dismissed && code === 0)) return;
    this.emit('lost', signal === null ? `exit code ${String(code)}` : signal);
  }
}
