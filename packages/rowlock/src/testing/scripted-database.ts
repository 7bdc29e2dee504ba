import type { Executor } from '../db/executor.js';
import type { Statement } from '../sql/statement.js';
import { turns } from './hand-clock.js';

/** A statement that was sent and waits for its answer. */
export interface Call<Params, Row> {
  readonly params: Params;
  /** Answers, and lets the event loop turn. */
  answer(rows: readonly Row[]): Promise<void>;
  fail(error: unknown): Promise<void>;
}

interface Sent extends Call<unknown, unknown> {
  readonly name: string;
}

type Reply = (params: never) => readonly unknown[];

/** Answers statements one by one, when and as a test says: for the order of events that a real server gives by chance only. */
export class ScriptedDatabase implements Executor {
  readonly #replies = new Map<string, Reply>();
  #sent: Sent[] = [];
  /** Every statement sent so far, in order. */
  readonly names: string[] = [];

  run<Params, Row>(statement: Statement<Params, Row>, params: Params): Promise<Row[]> {
    this.names.push(statement.name);
    const reply = this.#replies.get(statement.name) as ((params: Params) => readonly Row[]) | undefined;
    if (reply !== undefined) return new Promise((resolve) => resolve([...reply(params)]));
    return new Promise((resolve, reject) => {
      const answer = (rows: readonly unknown[]): Promise<void> => {
        resolve([...rows] as Row[]);
        return turns();
      };
      const fail = (error: unknown): Promise<void> => {
        reject(error);
        return turns();
      };
      this.#sent.push({ name: statement.name, params, answer, fail });
    });
  }

  /** From now on such statements are answered at once. */
  always<Params, Row>(statement: Statement<Params, Row>, reply: (params: Params) => readonly Row[]): void {
    this.#replies.set(statement.name, reply);
  }

  /** From now on such statements wait for the test again. */
  never(statement: { readonly name: string }): void {
    this.#replies.delete(statement.name);
  }

  /** How many such statements wait for an answer. */
  waiting(statement: { readonly name: string }): number {
    return this.#sent.filter(({ name }) => name === statement.name).length;
  }

  /** The oldest such statement that waits for an answer. */
  take<Params, Row>(statement: Statement<Params, Row>): Call<Params, Row> {
    const index = this.#sent.findIndex(({ name }) => name === statement.name);
    const [call] = index < 0 ? [] : this.#sent.splice(index, 1);
    if (call === undefined) throw new Error(`no ${statement.name} waits for an answer`);
    return call as Call<Params, Row>;
  }
}

/** An error as the server sends it with an SQLSTATE. */
export function serverError(code: string): Error {
  return Object.assign(new Error(`refused with ${code}`), { code, severity: 'ERROR' });
}
