import {
  beginTransaction,
  beginWithSettings,
  commitTransaction,
  rollbackTransaction,
} from '../sql/generated/statements.gen.js';
import { NotATransactionError, TransactionAbortedError } from '../job/errors.js';
import type { Statement } from '../sql/statement.js';
import type { Answer, Connection } from './connection.js';
import type { Executor } from './executor.js';
import type { OnLoss } from './errors.js';
import { renderedText } from './rendered-text.js';

export interface TransactionContext {
  readonly connection: Connection;
  /** Whether the settings hold for the session; otherwise the transaction brings them. */
  readonly sessionIsSetUp: boolean;
  readonly schema: string;
  readonly timeLimit: number;
}

/** Our own transaction on one connection, from begin to commit. */
export class Transaction implements Executor {
  readonly #context: TransactionContext;
  #ended = false;

  constructor(context: TransactionContext) {
    this.#context = context;
  }

  async of<T>(work: (tx: Executor) => Promise<T>): Promise<T> {
    let result: T;
    try {
      await this.#send(this.#context.sessionIsSetUp ? beginTransaction.text : beginWithSettings.text);
      result = await work(this);
    } catch (error) {
      this.#ended = true;
      await this.#rollBack();
      throw error;
    }
    this.#ended = true;
    await this.#commit();
    return result;
  }

  async run<Params, Row>(statement: Statement<Params, Row>, params: Params): Promise<Row[]> {
    if (this.#ended)
      throw new NotATransactionError('The transaction has ended; await every statement inside it');
    const { connection, schema, timeLimit } = this.#context;
    const { rows } = await connection.send({
      text: renderedText(statement, schema),
      values: statement.encode(params),
      decode: statement.decode,
      timeLimit,
      onLoss: 'nothing-happened',
    });
    return rows;
  }

  /** A text of ours without parameters; its rows mean nothing. */
  #send(text: string, onLoss: OnLoss = 'nothing-happened'): Promise<Answer<unknown>> {
    const { connection, timeLimit } = this.#context;
    return connection.send({ text, values: [], decode: () => undefined, timeLimit, onLoss });
  }

  async #commit(): Promise<void> {
    const { command } = await this.#send(commitTransaction.text, 'unknown');
    // The server answers a commit of an aborted transaction with success and a rollback.
    if (command !== 'COMMIT')
      throw new TransactionAbortedError('A statement of the transaction failed, so it was rolled back');
  }

  async #rollBack(): Promise<void> {
    const { connection } = this.#context;
    if (connection.broken) return;
    try {
      await this.#send(rollbackTransaction.text);
    } catch {
      // The error of the work says more; a session that may still be in its transaction is not used again.
      connection.destroy();
    }
  }
}
