import type { BackoffData } from './backoff.js';
import { exponential } from './backoff.js';

/** What decides on retries, as data: stored with the kind (and with a job that overrides it) and read by SQL. */
export interface Policy {
  readonly maxAttempts: number;
  /** Deaths of a worker during the job after which the job itself is held to be the cause, and discarded. */
  readonly maxCrashes: number;
  readonly timeoutMs: number;
  readonly backoff: BackoffData;
}

/** Equal to `default_policy` of SQL, which serves kinds that no process has defined. */
export const defaultPolicy: Policy = {
  maxAttempts: 10,
  maxCrashes: 5,
  timeoutMs: 15 * 60_000,
  backoff: exponential().data,
};

/** Lanes are 0 to 9; the lower one goes first. */
export const defaultPriority = 5;
export const defaultQueue = 'default';

export const priorityRange = { min: 0, max: 9 } as const;
export const attemptRange = { min: 1, max: 10_000 } as const;
