import type { PgTransaction } from '../db/caller-transaction.js';
import { checkBoolean } from '../job/check.js';
import { NotATransactionError } from '../job/errors.js';
import type { JobOptions } from '../job/request.js';

export interface TransactionOptions {
  /** A `pg` client on which you have begun a transaction: the jobs exist once it commits. @defaultValue absent: a commit of our own */
  readonly tx?: PgTransaction;
  /** Whether idle workers are told at once; without it they find the job at their next pass. NOTIFY forbids PREPARE TRANSACTION. @defaultValue true */
  readonly wake?: boolean;
}

/** Of one enqueued job. */
export interface EnqueueOptions extends JobOptions, TransactionOptions {}

export interface Enqueued {
  /** A bigint in decimal: never a JS number, which would round it. */
  readonly id: string;
}

export interface EnqueuedMany {
  /** In the order of the requests. */
  readonly ids: readonly string[];
}

/** Refuses what cannot be meant. A `tx` that is undefined is a slip: its job would be stored outside the transaction. */
export function checkTransactionOptions(options: TransactionOptions): void {
  if ('tx' in options && options.tx === undefined)
    throw new NotATransactionError('`tx` is undefined: leave it out to enqueue outside a transaction');
  if (options.wake !== undefined) checkBoolean(options.wake, 'wake');
}
