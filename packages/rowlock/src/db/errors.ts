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

/** Only an idle session is ended with it: it never saw the statement. */
const idleTooLong = '57P05';

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
  return sqlState(error) === '42501' && !isRaised(error);
}

/** What a role may need rights for. */
export interface Need {
  /** What it may not do without: `migrate schema "rowlock"`. */
  readonly to: string;
  readonly remedy: string;
}

/** Says what a right was needed for, where the server only says which right it denied. */
export async function namingDenial<T>(need: Need, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw namedDenial(error, need);
  }
}

/** The error to throw instead; any other error as it is. */
export function namedDenial(error: unknown, { to, remedy }: Need): unknown {
  if (!isDenied(error)) return error;
  const message = `The role of this connection may not ${to}: ${messageOf(error)}. ${remedy}`;
  return new NotAllowedError(message, { cause: error });
}

/** Whether the connection was lost, before or after the statement was sent. */
export function isLoss(error: unknown): boolean {
  return hasCode(error, 'CONNECTION') || hasCode(error, 'OUTCOME_UNKNOWN');
}

/** Whether a call that may be made twice may succeed later: the database is away, or another transaction was in the way. */
export function mayPass(error: unknown): boolean {
  return isTransient(error) || isLoss(error);
}

/** Where the driver looks for the database. */
export interface Target {
  readonly host: string;
  readonly port: number;
  readonly database?: string | undefined;
  readonly user?: string | undefined;
  /** Whether somebody named it; the driver has defaults otherwise. */
  readonly named: boolean;
}

export function connectFailed(cause: unknown, target?: Target): ConnectionError {
  const parts = [`Could not connect to the database${placeOf(target)}: ${messageOf(cause)}`];
  if (isPasswordMissing(cause)) parts.push('The server asks for a password, and none was given');
  if (target?.named === false) {
    parts.push(
      'No connectionString, config or pool was given, so PGHOST and PGPORT decide, or their defaults',
      'Is the variable set that should name it?',
    );
  }
  return new ConnectionError(parts.join('. '), { cause });
}

function placeOf(target: Target | undefined): string {
  if (target === undefined) return '';
  const { database, user, host, port } = target;
  const name = database === undefined ? '' : ` ${JSON.stringify(database)}`;
  const as = user === undefined ? '' : ` as ${JSON.stringify(user)}`;
  return `${name} at ${host}:${String(port)}${as}`;
}

/** The driver speaks of the type of what it was not given. */
function isPasswordMissing(cause: unknown): boolean {
  return /password must be a (?:non-empty )?string/.test(messageOf(cause));
}

/** What became of a request that failed. `broken`: its connection must not be used again. */
export interface Failure {
  readonly error: unknown;
  readonly broken: boolean;
}

export function classify(error: unknown, onLoss: OnLoss): Failure {
  const state = sqlState(error);
  if (isRaised(error)) return { error, broken: false };
  // After a fail-over the old primary, or a pooler in front of it, answers as a standby: dial again to find the new one.
  if (state === readOnlyState) {
    return {
      error: new ConnectionError(
        'The database is read-only: another server may have taken over, or default_transaction_read_only is set for this role or database',
        { cause: error },
      ),
      broken: true,
    };
  }
  if (state !== undefined && keptStatementStates.has(state)) {
    const message = 'The session does not have the statement as it was kept there; dial again';
    return { error: new ConnectionError(message, { cause: error }), broken: true };
  }
  if (state !== undefined && !endingStates.test(state) && !isFatal(error)) return { error, broken: false };
  const nothingHappened = wasNotSent(error) || state === idleTooLong;
  return { error: connectionLost(error, nothingHappened ? 'nothing-happened' : onLoss), broken: true };
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

/** Whether somebody's trigger or function chose the SQLSTATE: then it says nothing of the session or its role. */
function isRaised(error: unknown): boolean {
  return error instanceof Error && 'routine' in error && error.routine === 'exec_stmt_raise';
}

function isFatal(error: unknown): boolean {
  return error instanceof Error && 'severity' in error && endingSeverity.test(String(error.severity));
}

/** The driver knew before it wrote anything that the connection is gone. */
export function wasNotSent(error: unknown): boolean {
  return error instanceof Error && error.message.endsWith('is not queryable');
}
