import { executable, type Binaries } from './binaries.js';
import type { Account } from './account.js';
import type { DataDir } from './data-dir.js';
import { EmbeddedError, hasCode } from './errors.js';
import type { Keeper } from './keeper.js';
import type { EndSignal } from './keeper-protocol.js';
import type { EmbeddedServer, StopMode } from './options.js';
import { until } from './until.js';

export interface OwnServerParts {
  readonly keeper: Keeper;
  readonly binaries: Binaries;
  readonly account: Account | null;
  readonly data: DataDir;
  readonly isTemporary: boolean;
}

const signals: Readonly<Record<StopMode, EndSignal>> = {
  smart: 'SIGTERM',
  fast: 'SIGINT',
  immediate: 'SIGQUIT',
};
/** How long a restart waits for its port or for orphans of a killed postmaster. */
const restartPatience = 10_000;
const portTries = 20;

/** A server that we started. */
export class OwnServer implements EmbeddedServer {
  readonly #parts: OwnServerParts;
  #port = 0;
  #pid: number | null = null;
  #lastEnded = 0;
  #stopping: Promise<void> | null = null;

  constructor(parts: OwnServerParts) {
    this.#parts = parts;
  }

  get url(): string {
    return this.urlFor('postgres');
  }

  get version(): string {
    return this.#parts.binaries.version;
  }

  get port(): number {
    return this.#port;
  }

  get dataDir(): string {
    return this.#parts.data.path;
  }

  get source(): 'package' | 'local' {
    return this.#parts.binaries.source;
  }

  get postmasterPid(): number | null {
    return this.#pid;
  }

  urlFor(database: string): string {
    const { password } = this.#parts.data;
    return `postgres://postgres${password === null ? '' : `:${password}`}@127.0.0.1:${this.#port}/${encodeURIComponent(database)}`;
  }

  /** The server itself takes the port, so there is no moment between finding it free and having it. */
  async start(port: number | undefined): Promise<void> {
    for (let left = port === undefined ? portTries : 1; ; left--) {
      this.#port = port ?? randomPort();
      try {
        await this.#serve();
        return;
      } catch (error) {
        if (left <= 1 || !hasCode(error, 'EMBEDDED_PORT_TAKEN')) throw error;
      }
    }
  }

  noteExit(pid: number): void {
    this.#lastEnded = pid;
    if (this.#pid === pid) this.#pid = null;
  }

  async restart(mode: 'fast' | 'immediate' = 'fast'): Promise<void> {
    if (this.#stopping !== null)
      throw new EmbeddedError('EMBEDDED_STOPPED', 'This server was stopped. Start a new one.');
    await this.#parts.keeper.ask({ do: 'halt', signal: signals[mode] });
    let failure: unknown = null;
    const isUp = async (): Promise<boolean> => {
      try {
        await this.#serve();
        return true;
      } catch (error) {
        failure = error;
        if (!hasCode(error, 'EMBEDDED_PORT_TAKEN', 'EMBEDDED_DATA_DIR_IN_USE')) throw error;
        return false;
      }
    };
    if (!(await until(isUp, { within: restartPatience, every: 100 }))) throw failure;
  }

  stop(mode: StopMode = this.#parts.isTemporary ? 'immediate' : 'fast'): Promise<void> {
    this.#stopping ??= this.#end(mode);
    return this.#stopping;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #end(mode: StopMode): Promise<void> {
    try {
      await this.#parts.keeper.ask({ do: 'halt', signal: signals[mode] });
    } finally {
      await this.#parts.keeper.close();
      this.#pid = null;
    }
  }

  async #serve(): Promise<void> {
    const { keeper, binaries, account, data, isTemporary } = this.#parts;
    const args = ['-D', data.path, '-p', String(this.#port)];
    const program = { file: executable(binaries.bin, 'postgres'), args, account };
    const pid = Number(
      await keeper.ask({
        do: 'serve',
        program,
        dataDir: data.path,
        endWith: isTemporary ? 'SIGQUIT' : 'SIGINT',
      }),
    );
    this.#pid = this.#lastEnded === pid ? null : pid;
  }
}

// Below the range that systems give to outgoing connections: a client that redials a server which is down could
// otherwise be given the server's own port, connect to itself, and keep the server from coming back.
function randomPort(): number {
  return 15_000 + Math.floor(Math.random() * 17_000);
}
