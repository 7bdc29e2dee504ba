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

/** A connection for statements that run in the order in which they are given, each in autocommit. */
export interface Line extends Executor {
  /** How many may be under way at a time: one that is sent before the last is answered is there when the server is free. */
  readonly depth: number;
  /**
   * Runs a statement that commits by itself. Undefined, and nothing done, where that cannot be: in sessions that are not
   * ours (behind a pooler, in a caller's pool) each statement is in a transaction.
   */
  runAlone<Params, Row>(statement: Statement<Params, Row>, params: Params): Promise<Row[] | undefined>;
  /** Gives the connection back; every statement must have been answered. */
  close(): void;
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
  /** Rejects with a `ConnectionError` when no connection can be had. */
  openLine(): Promise<Line>;
  /** Waits for the calls in flight. A pool of the caller's stays open. */
  close(): Promise<void>;
}
