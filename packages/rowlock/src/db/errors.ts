import { ConnectionError, hasCode, NotAllowedError, OutcomeUnknownError } from '../job/errors.js';
import { messageOf } from '../job/message.js';
import { readOnlyState } from './driver.js';

/** Whether a request that got no answer may have changed the database: not before a commit was sent. */
export type OnLoss = 'nothing-happened' | 'unknown';

/** Serialization failure, deadlock, lock not available: the same work may succeed when it is tried again. */
const transientStates: ReadonlySet<unknown> = new Set(['40001', '40P01', '55P03']);
/** These end the session; with them the server or pooler says goodbye in place of an answer. */
const endingStates = /^(?:08|28|57P|25P0[34]|53300)/;
const endingSeverity = /^(?:FATAL|PANIC)$/;
/** A statement that the session kept is not what it was: gone (26000), there already (42P05), or of another shape (0A000). */
const keptStatementStates = new Set(['26000', '42P05', '0A000']);

/** The SQLSTATE that the server sent with the error. */
export function sqlState(error: unknown): string | undefined {
  const state = error instanceof Error && 'severity' in error && 'code' in error ? error.code : undefined;
  return typeof state === 'string' ? state : undefined;
}

/** Whether the same work, in a new transaction, may succeed: the server undid it for the sake of another one. */
export function isTransient(error: unknown): boolean {
  return transientStates.has(sqlState(error));
}

/** Whether the server stopped in the middle: out of resources, cancelled, or broken; not for what it was asked. */
export function isStopped(error: unknown): boolean {
  return /^(?:53|57|58|XX)/.test(sqlState(error) ?? '');
}

/** Whether the role of the connection lacks a right. */
export function isDenied(error: unknown): boolean {
  return sqlState(error) === '42501';
}

/** What a role may need rights for. */
export interface Need {
  /** What it may not do without: `migrate schema "rowlock"`. */
  readonly to: string;
  readonly remedy: string;
}

/** Says what a right was needed for, where the server only says which right it denied. */
export async function namingDenial<T>({ to, remedy }: Need, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isDenied(error)) throw error;
    const message = `The role of this connection may not ${to}: ${messageOf(error)}. ${remedy}`;
    throw new NotAllowedError(message, { cause: error });
  }
}

/** Whether the connection was lost, before or after the statement was sent. */
export function isLoss(error: unknown): boolean {
  return hasCode(error, 'CONNECTION') || hasCode(error, 'OUTCOME_UNKNOWN');
}

/** Whether a call that may be made twice may succeed later: the database is away, or another transaction was in the way. */
export function mayPass(error: unknown): boolean {
  return isTransient(error) || isLoss(error);
}

/** Where the driver looks for a database that nothing names. */
export interface DefaultTarget {
  readonly host: string;
  readonly port: number;
}

export function connectFailed(cause: unknown, target?: DefaultTarget): ConnectionError {
  const where = target === undefined ? '' : ` at ${target.host}:${String(target.port)}`;
  const why =
    target === undefined
      ? ''
      : '. No connectionString, config or pool was given, so PGHOST and PGPORT decide, or their defaults. ' +
        'Is the variable set that you pass as connectionString?';
  return new ConnectionError(`Could not connect to the database${where}: ${messageOf(cause)}${why}`, {
    cause,
  });
}

/** What became of a request that failed. `broken`: its connection must not be used again. */
export interface Failure {
  readonly error: unknown;
  readonly broken: boolean;
}

export function classify(error: unknown, onLoss: OnLoss): Failure {
  const state = sqlState(error);
  // After a fail-over the old primary, or a pooler in front of it, answers as a standby: dial again to find the new one.
  if (state === readOnlyState) {
    return {
      error: new ConnectionError('The database server is read-only; another one may have taken over', {
        cause: error,
      }),
      broken: true,
    };
  }
  if (state !== undefined && keptStatementStates.has(state)) {
    const message = 'The session does not have the statement as it was kept there; dial again';
    return { error: new ConnectionError(message, { cause: error }), broken: true };
  }
  if (state !== undefined && !endingStates.test(state) && !isFatal(error)) return { error, broken: false };
  return { error: connectionLost(error, wasNotSent(error) ? 'nothing-happened' : onLoss), broken: true };
}

/** The error of a call whose connection was lost: whether it may be repeated depends on what was sent. */
export function connectionLost(cause: unknown, onLoss: OnLoss): Error {
  const loss = `The connection to the database was lost: ${messageOf(cause)}`;
  return onLoss === 'unknown'
    ? new OutcomeUnknownError(`${loss}. Whether the statement took effect is unknown`, { cause })
    : new ConnectionError(`${loss}. Nothing was changed`, { cause });
}

export function timeLimitPassed(ms: number): Error {
  return new Error(`no answer within ${String(ms)} ms`);
}

function isFatal(error: unknown): boolean {
  return error instanceof Error && 'severity' in error && endingSeverity.test(String(error.severity));
}

/** The driver knew before it wrote anything that the connection is gone. */
export function wasNotSent(error: unknown): boolean {
  return error instanceof Error && error.message.endsWith('is not queryable');
}
