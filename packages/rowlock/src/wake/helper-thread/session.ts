import { Socket } from 'node:net';
import { Client, type ClientConfig } from 'pg';
import { backendKey, keepAliveDelay, rawText, readOnlyState } from '../../db/driver.js';
import { deferred, type Deferred } from '../../runtime/deferred.js';
import {
  beginTransaction,
  commitTransaction,
  prepareHelper,
  rollbackTransaction,
  sessionIdentity,
} from '../../sql/generated/statements.gen.js';
import { renderSchema } from '../../sql/render-schema.js';
import type { Statement } from '../../sql/statement.js';

const goodbyeMs = 500;

export interface DialOptions {
  readonly config: ClientConfig;
  readonly schema: string;
  /** Time limits, in ms, of the dialling as a whole and of each answer. */
  readonly connectLimitMs: number;
  readonly answerLimitMs: number;
  readonly signal: AbortSignal;
  readonly onNotification: (payload: string) => void;
}

export type Run = <P, R>(statement: Statement<P, R>, params: P) => Promise<R[]>;

/** One connection, from dialling until it breaks. It never heals: the helper dials another one. */
export class HelperSession {
  readonly #options: DialOptions;
  readonly #client: Client;
  readonly #socket = new Socket();
  readonly #closing = new AbortController();
  readonly #closed: Deferred<Error> = deferred<Error>();
  #turn: Promise<unknown> = Promise.resolve();
  #pooled = false;
  #backend = 0;

  private constructor(options: DialOptions) {
    this.#options = options;
    this.#client = new Client({
      application_name: 'rowlock helper',
      ...options.config,
      stream: () => this.#socket,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveDelay,
    });
    this.#client.on('error', (error) => this.#close(error));
    this.#client.on('end', () => this.#close(new Error('the server closed the connection')));
    this.#client.on('notification', ({ payload }) => options.onNotification(payload ?? ''));
  }

  static async dial(options: DialOptions): Promise<HelperSession> {
    const session = new HelperSession(options);
    const abort = (): void => session.destroy(new Error('stopping'));
    options.signal.addEventListener('abort', abort, { once: true });
    try {
      await session.#within(options.connectLimitMs, 'connect', session.#open());
      return session;
    } catch (error) {
      session.destroy(error);
      throw error;
    } finally {
      options.signal.removeEventListener('abort', abort);
    }
  }

  /** Resolves with the reason once the connection is gone. */
  get closed(): Promise<Error> {
    return this.#closed.promise;
  }

  /** Aborts when the connection is gone. */
  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  /** Another process stands between, which may give each transaction another backend. */
  get pooled(): boolean {
    return this.#pooled;
  }

  get backend(): number {
    return this.#backend;
  }

  /** Runs `work` when its turn comes: behind a pooler in a transaction of its own, which brings the settings along. */
  inTurn<T>(work: (run: Run) => Promise<T>): Promise<T> {
    const run: Run = (statement, params) => this.#run(statement, params);
    const turn = this.#turn.then(() => (this.#pooled ? this.#inTransaction(run, work) : work(run)));
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async end(): Promise<void> {
    if (this.signal.aborted) return;
    await this.#within(goodbyeMs, 'say goodbye', this.#client.end()).catch(() => undefined);
    this.destroy(new Error('ended'));
  }

  destroy(reason: unknown): void {
    this.#close(reason instanceof Error ? reason : new Error(String(reason)));
    this.#socket.destroy();
  }

  async #open(): Promise<void> {
    await this.#client.connect();
    const [identity] = await this.#run(sessionIdentity, {});
    this.#backend = identity?.backendPid ?? 0;
    this.#pooled = backendKey(this.#client) !== this.#backend;
    // Behind a pooler, settings of the session would stay with a backend that serves others.
    if (!this.#pooled) await this.#prepare({ forTransaction: false });
  }

  #prepare({ forTransaction }: { readonly forTransaction: boolean }): Promise<unknown> {
    return this.#run(prepareHelper, { timeLimitMs: Math.ceil(this.#options.answerLimitMs), forTransaction });
  }

  async #inTransaction<T>(run: Run, work: (run: Run) => Promise<T>): Promise<T> {
    await run(beginTransaction, {});
    try {
      await this.#prepare({ forTransaction: true });
      const result = await work(run);
      await run(commitTransaction, {});
      return result;
    } catch (error) {
      if (!this.signal.aborted) await run(rollbackTransaction, {}).catch(() => undefined);
      throw error;
    }
  }

  async #run<P, R>(statement: Statement<P, R>, params: P): Promise<R[]> {
    this.signal.throwIfAborted();
    const text = renderSchema(statement.text, this.#options.schema);
    const query = this.#client.query<(string | null)[]>({
      text,
      values: statement.encode(params),
      rowMode: 'array',
      types: rawText,
    });
    try {
      const answer = await this.#within(this.#options.answerLimitMs, `answer ${statement.name}`, query);
      return answer.rows.map((row) => statement.decode(row));
    } catch (error) {
      // After a fail-over the old primary may answer for ever without being able to write.
      if (codeOf(error) === readOnlyState) this.destroy(error);
      throw error;
    }
  }

  /** A connection whose answer is overdue is given up: packets may be falling into a black hole. */
  async #within<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const overdue = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        const error = new Error(`the server did not ${what} within ${String(Math.round(ms))} ms`);
        reject(error);
        this.destroy(error);
      }, ms);
    });
    try {
      return await Promise.race([work, overdue]);
    } finally {
      clearTimeout(timer);
    }
  }

  #close(error: Error): void {
    if (this.signal.aborted) return;
    this.#closing.abort(error);
    this.#closed.resolve(error);
  }
}

export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
