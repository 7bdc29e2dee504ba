import type { PgTransaction } from '../db/caller-transaction.js';
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
