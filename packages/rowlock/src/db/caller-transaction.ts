import { NotATransactionError, TransactionAbortedError } from '../job/errors.js';
import { probeTransaction } from '../sql/generated/statements.gen.js';
import type { EncodedParam, Statement } from '../sql/statement.js';
import type { RawRow } from './connection.js';
import { backendKey, rawText } from './driver.js';
import { sqlState, wasNotSent } from './errors.js';
import type { Executor } from './executor.js';
import { renderedText } from './rendered-text.js';

/** What `tx` must offer: a connected `pg` client or pool client on which the caller has begun a transaction. */
export interface PgTransaction {
  query(request: PgRequest): Promise<PgAnswer>;
  /** From pg 8.23 on; without it the server is asked. */
  getTransactionStatus?(): 'I' | 'T' | 'E' | null;
}

/** The form of `pg` that keeps rows as arrays of text. */
export interface PgRequest {
  readonly text: string;
  readonly values?: EncodedParam[];
  readonly rowMode: 'array';
  readonly types: typeof rawText;
}

export interface PgAnswer {
  readonly rows: RawRow[];
}

const aborted = '25P02';
const noTransaction = '25P01';

/** Statements inside the caller's transaction: nothing is set, begun, ended or retried on its session. */
export function callerTransaction(tx: PgTransaction, schema: string): Executor {
  if (typeof tx?.query !== 'function')
    throw new NotATransactionError('`tx` is no pg client: it has no query()');
  if ('totalCount' in tx) {
    throw new NotATransactionError(
      '`tx` is a pool, which runs each statement on any connection: pass the client from pool.connect()',
    );
  }
  // A client without a session keeps statements for when it has one. A driver that merely cannot tell has no key at all.
  if (tx.getTransactionStatus?.() === null && backendKey(tx) === null) {
    throw new NotATransactionError('`tx` is not connected: await client.connect(), then begin a transaction');
  }
  return new CallerTransaction(tx, schema);
}

class CallerTransaction implements Executor {
  readonly #tx: PgTransaction;
  readonly #schema: string;

  constructor(tx: PgTransaction, schema: string) {
    this.#tx = tx;
    this.#schema = schema;
  }

  async run<Params, Row>(statement: Statement<Params, Row>, params: Params): Promise<Row[]> {
    // A begin that the caller has not awaited is seen by the server only, hence the question unless all is well.
    if (this.#tx.getTransactionStatus?.() !== 'T') await this.#query(probeTransaction.text, []);
    const { rows } = await this.#query(renderedText(statement, this.#schema), statement.encode(params));
    return rows.map((row) => statement.decode(row));
  }

  async #query(text: string, values: EncodedParam[]): Promise<PgAnswer> {
    try {
      return await this.#tx.query({ text, values, rowMode: 'array', types: rawText });
    } catch (cause) {
      throw typedError(cause);
    }
  }
}

/** Errors of the caller's own session stay as they are, but for those that say how `tx` was misused. */
function typedError(cause: unknown): unknown {
  const state = sqlState(cause);
  if (state === noTransaction)
    return new NotATransactionError('`tx` is not in a transaction: begin one, and use it before its commit', {
      cause,
    });
  if (state === aborted) {
    return new TransactionAbortedError(
      'An earlier statement failed in the transaction of `tx`, so it can only be rolled back',
      { cause },
    );
  }
  if (wasNotSent(cause)) {
    const remedy = 'use a connected client on which you have begun a transaction';
    return new NotATransactionError(`\`tx\` is no longer connected: ${remedy}`, { cause });
  }
  return cause;
}
