import type { Executor } from './executor.js';

/** What `tx` must offer: a connected `pg` client or pool client on which the caller has begun a transaction. */
export interface PgTransaction {
  query(request: PgRequest): Promise<PgAnswer>;
  getTransactionStatus?(): 'I' | 'T' | 'E' | null;
}

/** The form of `pg` that keeps rows as arrays of text. */
export interface PgRequest {
  readonly text: string;
  readonly values?: (string | number | boolean | null)[];
  readonly rowMode: 'array';
  readonly types: { getTypeParser(): (text: string) => string };
}

export interface PgAnswer {
  readonly rows: (string | null)[][];
}

/** Statements inside the caller's transaction: nothing is set, begun, ended or retried on its session. */
export function callerTransaction(tx: PgTransaction, schema: string): Executor {
  throw new Error(`not built yet: ${schema} ${typeof tx}`);
}
