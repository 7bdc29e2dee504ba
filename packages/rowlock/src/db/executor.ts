import type { Statement } from '../sql/statement.js';

/** Runs one statement: on its own in autocommit, or inside the transaction that the executor stands for. Never retries. */
export interface Executor {
  /** The rows, decoded by the statement. */
  run<Params, Row>(statement: Statement<Params, Row>, params: Params): Promise<Row[]>;
}

export interface TransactionOptions {
  /** Longest wait for each answer within this transaction, in milliseconds. */
  readonly callTimeLimit?: number;
}

/** The one seam to the database. */
export interface Database extends Executor {
  /** The schema as it is named in the database, unquoted. */
  readonly schema: string;
  /**
   * Commits when `work` resolves, rolls back when it rejects. A connection lost before the commit was sent is a
   * `ConnectionError` (nothing happened); lost after it, an `OutcomeUnknownError`.
   */
  transaction<T>(work: (tx: Executor) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Runs a statement that commits by itself. Undefined, and nothing done, where that cannot be: in sessions that are not
   * ours (behind a pooler, in a caller's pool) each statement is in a transaction.
   */
  runAlone<Params, Row>(statement: Statement<Params, Row>, params: Params): Promise<Row[] | undefined>;
  /** Waits for the calls in flight. A pool of the caller's stays open. */
  close(): Promise<void>;
}
