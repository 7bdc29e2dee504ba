import { checkInteger } from './check.js';
import { toMilliseconds, toPositiveMilliseconds } from './duration.js';
import { ConfigInvalidError } from './errors.js';
import { toMicroseconds } from './instant.js';
import { checkName } from './name.js';
import type { Policy } from './policy.js';
import { attemptRange, priorityRange } from './policy.js';
import type { JobOptions, JobRequest } from './request.js';

/** Where and when a job is stored, its options checked and in the units of SQL. */
export interface Placement {
  readonly queue: string;
  readonly priority: number;
  /** Microseconds since 1970; null: now, plus the delay. */
  readonly runAtUs: number | null;
  readonly delayMs: number | null;
  /** What the job has of its own; null: all is its kind's. */
  readonly policy: Partial<Policy> | null;
}

const ownOptions = [
  'runAt',
  'delay',
  'priority',
  'queue',
  'maxAttempts',
  'timeout',
] as const satisfies (keyof JobOptions)[];

/** The options that a job may have; whoever takes more beside them refuses what is in neither. */
export const jobOptionNames: readonly string[] = ownOptions;

/** Throws `ConfigInvalidError` for an option that cannot work. */
export function placementOf(request: JobRequest): Placement {
  const { definition, options } = request;
  const { queue = definition.queue, priority = definition.priority, runAt, delay } = options;
  if (runAt !== undefined && delay !== undefined) {
    throw new ConfigInvalidError('runAt', 'and delay exclude each other: give one of them');
  }
  if (queue !== definition.queue) checkName(queue, 'queue');
  if (priority !== definition.priority) checkInteger(priority, 'priority', priorityRange);
  return {
    queue,
    priority,
    runAtUs: runAt === undefined ? null : toMicroseconds(runAt, 'runAt'),
    delayMs: delay === undefined ? null : toMilliseconds(delay, 'delay'),
    policy: ownPolicy(options),
  };
}

function ownPolicy(options: JobOptions): Partial<Policy> | null {
  const { maxAttempts, timeout } = options;
  if (maxAttempts === undefined && timeout === undefined) return null;
  if (maxAttempts !== undefined) checkInteger(maxAttempts, 'maxAttempts', attemptRange);
  return {
    ...(maxAttempts === undefined ? {} : { maxAttempts }),
    ...(timeout === undefined ? {} : { timeoutMs: toPositiveMilliseconds(timeout, 'timeout') }),
  };
}
