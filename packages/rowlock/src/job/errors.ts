import type { ErrorCode } from './error-codes.js';

/** Base of every error of this package. Tell errors apart by `code`: two copies of the package share no classes. */
export class RowlockError<Code extends ErrorCode = ErrorCode> extends Error {
  readonly code: Code;

  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    // Derived from the code, because a minifier renames classes.
    this.name = classNameOf(code);
  }
}

/** `LEASE_LOST` → `LeaseLostError` */
function classNameOf(code: string): string {
  const words = code.split('_').map((word) => word.charAt(0) + word.slice(1).toLowerCase());
  return `${words.join('')}Error`;
}

/** Whether `error` carries this code, whichever copy of the package made it. Never throws. */
export function hasCode(error: unknown, code: ErrorCode): boolean {
  try {
    return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
  } catch {
    return false;
  }
}

/** One thing a schema found wrong, with the path written out: `args.items[3].price`. */
export interface ArgsIssue {
  readonly path: string;
  readonly message: string;
}

export class ConfigInvalidError extends RowlockError<'CONFIG_INVALID'> {
  /** The option, such as `backoff.base`. */
  readonly field: string;
  /** What is wrong with it: the message without the field. */
  readonly problem: string;

  constructor(field: string, problem: string) {
    super('CONFIG_INVALID', `${field} ${problem}`);
    this.field = field;
    this.problem = problem;
  }
}

export class ArgsInvalidError extends RowlockError<'ARGS_INVALID'> {
  readonly kind: string;
  readonly issues: readonly ArgsIssue[];

  constructor(kind: string, issues: readonly ArgsIssue[]) {
    const lines = issues.map((issue) => `${issue.path}: ${issue.message}`);
    super('ARGS_INVALID', `args of kind ${JSON.stringify(kind)} are invalid: ${lines.join('; ')}`);
    this.kind = kind;
    this.issues = issues;
  }
}

export class PayloadInvalidError extends RowlockError<'PAYLOAD_INVALID'> {
  /** Where the value is: `args.items[3].price`. */
  readonly path: string;
  /** What is wrong with it: the message without the path. */
  readonly problem: string;

  constructor(path: string, problem: string, options?: ErrorOptions) {
    super('PAYLOAD_INVALID', `${path} ${problem}`, options);
    this.path = path;
    this.problem = problem;
  }
}

export class NotAllowedError extends RowlockError<'NOT_ALLOWED'> {
  constructor(message: string, options?: ErrorOptions) {
    super('NOT_ALLOWED', message, options);
  }
}

export class RoleMissingError extends RowlockError<'ROLE_MISSING'> {
  constructor(message: string, options?: ErrorOptions) {
    super('ROLE_MISSING', message, options);
  }
}

export class NotATransactionError extends RowlockError<'NOT_A_TRANSACTION'> {
  constructor(message: string, options?: ErrorOptions) {
    super('NOT_A_TRANSACTION', message, options);
  }
}

export class TransactionAbortedError extends RowlockError<'TRANSACTION_ABORTED'> {
  constructor(message: string, options?: ErrorOptions) {
    super('TRANSACTION_ABORTED', message, options);
  }
}

export class ConnectionError extends RowlockError<'CONNECTION'> {
  constructor(message: string, options?: ErrorOptions) {
    super('CONNECTION', message, options);
  }
}

export class OutcomeUnknownError extends RowlockError<'OUTCOME_UNKNOWN'> {
  constructor(message: string, options?: ErrorOptions) {
    super('OUTCOME_UNKNOWN', message, options);
  }
}

export class SchemaMissingError extends RowlockError<'SCHEMA_MISSING'> {
  constructor(message: string, options?: ErrorOptions) {
    super('SCHEMA_MISSING', message, options);
  }
}

export class SchemaOutdatedError extends RowlockError<'SCHEMA_OUTDATED'> {
  constructor(message: string, options?: ErrorOptions) {
    super('SCHEMA_OUTDATED', message, options);
  }
}

export class SchemaTooNewError extends RowlockError<'SCHEMA_TOO_NEW'> {
  constructor(message: string, options?: ErrorOptions) {
    super('SCHEMA_TOO_NEW', message, options);
  }
}

export class MigrationChangedError extends RowlockError<'MIGRATION_CHANGED'> {
  constructor(message: string, options?: ErrorOptions) {
    super('MIGRATION_CHANGED', message, options);
  }
}

export class EnqueueOverloadedError extends RowlockError<'ENQUEUE_OVERLOADED'> {
  constructor(message: string, options?: ErrorOptions) {
    super('ENQUEUE_OVERLOADED', message, options);
  }
}

export class QueueNotServedError extends RowlockError<'QUEUE_NOT_SERVED'> {
  constructor(message: string, options?: ErrorOptions) {
    super('QUEUE_NOT_SERVED', message, options);
  }
}

export class DuplicateHandlerError extends RowlockError<'DUPLICATE_HANDLER'> {
  constructor(message: string, options?: ErrorOptions) {
    super('DUPLICATE_HANDLER', message, options);
  }
}

export class WorkerAlreadyStartedError extends RowlockError<'WORKER_ALREADY_STARTED'> {
  constructor(message: string, options?: ErrorOptions) {
    super('WORKER_ALREADY_STARTED', message, options);
  }
}

export class WorkerStoppedError extends RowlockError<'WORKER_STOPPED'> {
  constructor(message: string, options?: ErrorOptions) {
    super('WORKER_STOPPED', message, options);
  }
}

export class ClientClosedError extends RowlockError<'CLIENT_CLOSED'> {
  constructor(message: string, options?: ErrorOptions) {
    super('CLIENT_CLOSED', message, options);
  }
}

/** Thrown anywhere below a handler: the job is discarded at once, whatever attempts are left. */
export class NonRetryableError extends RowlockError<'NON_RETRYABLE'> {
  constructor(message: string, options?: ErrorOptions) {
    super('NON_RETRYABLE', message, options);
  }
}

export class LeaseLostError extends RowlockError<'LEASE_LOST'> {
  constructor(message = 'the worker no longer holds this job', options?: ErrorOptions) {
    super('LEASE_LOST', message, options);
  }
}

export class ShutdownError extends RowlockError<'SHUTDOWN'> {
  constructor(message = 'the worker is stopping', options?: ErrorOptions) {
    super('SHUTDOWN', message, options);
  }
}

export class TimeoutError extends RowlockError<'TIMEOUT'> {
  constructor(message: string, options?: ErrorOptions) {
    super('TIMEOUT', message, options);
  }
}

/** What `signal.reason` of a handler may be; tell them apart by `code`. */
export type AbortReason = ShutdownError | TimeoutError | LeaseLostError;
