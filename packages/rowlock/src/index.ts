export { Rowlock } from './rowlock.js';
export type { Pausable } from './rowlock.js';
export type {
  MigrateMode,
  PollOptions,
  QueueOptions,
  RowlockOptions,
  WakeMode,
  WorkerOptions,
} from './config/options.js';
export type { PgTransaction } from './db/caller-transaction.js';
export type { Enqueued, EnqueuedMany, EnqueueOptions, TransactionOptions } from './enqueue/options.js';
export { custom, exponential, fixed, linear } from './job/backoff.js';
export type { Backoff, ExponentialOptions, FixedOptions, LinearOptions } from './job/backoff.js';
export { defineJob } from './job/define.js';
export type { DefineJobOptions, JobDefinition } from './job/define.js';
export type { Duration } from './job/duration.js';
export { errorCodes } from './job/error-codes.js';
export type { ErrorCode } from './job/error-codes.js';
export type { ErrorRecord } from './job/error-record.js';
export { hasCode, NonRetryableError, RowlockError } from './job/errors.js';
export type { AbortReason } from './job/errors.js';
export type { FactOutcome } from './job/fact.js';
export type { Handler, HandlerContext, HandlerFunction, JobInfo } from './job/handler.js';
export type { Instant } from './job/instant.js';
export type { Keep } from './job/kind.js';
export { cancel, discard, retry, snooze } from './job/outcome.js';
export type { Outcome } from './job/outcome.js';
export type { JobOptions, JobRequest } from './job/request.js';
export type { StandardSchemaV1 } from './job/standard-schema.js';
export type { State } from './job/state.js';
export { type } from './job/witness.js';
export type { TypeWitness } from './job/witness.js';
export { exportSql, grantSql } from './migrate/export-sql.js';
export type { MigrationReport } from './migrate/migrate.js';
export { silentLogger, stderrLogger } from './observe/logger.js';
export type { LogFields, Logger } from './observe/logger.js';
export { version } from './version.js';
export type { JobEvent, SettledEvent, WorkerEvents } from './worker/events.js';
export type { WorkerCounters, WorkerHealth } from './worker/health.js';
export type { Worker } from './worker/worker.js';
