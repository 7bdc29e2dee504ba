import type { Backoff } from './backoff.js';
import { customDelay } from './backoff.js';
import { describeValue } from './describe.js';
import { toMilliseconds } from './duration.js';
import type { ErrorRecord } from './error-record.js';
import { errorRecord } from './error-record.js';
import { ConfigInvalidError, hasCode } from './errors.js';
import type { Outcome } from './outcome.js';
import { boundedReason, isOutcome } from './outcome.js';
import { encodeOutput } from './output.js';

export type FactOutcome =
  'completed' | 'failed' | 'retry' | 'snooze' | 'cancel' | 'discard' | 'release' | 'park' | 'crashed';

/** What happened to an attempt, as reported to settle. The decision what follows is made in SQL, by `decide`. */
export interface Fact {
  readonly outcome: FactOutcome;
  /** Asked for by the handler or by a custom backoff; absent: the policy's backoff decides. */
  readonly delayMs?: number;
  /** JSON text; absent: the handler returned nothing. */
  readonly output?: string;
  readonly error?: ErrorRecord;
  readonly reason?: string;
}

/** The worker gives the job back unharmed; the attempt is not counted. */
export const released: Fact = { outcome: 'release' };

/** This worker does not serve the kind: the job leaves its lane until one that does asks for it. */
export const parked: Fact = { outcome: 'park' };

const completedWithoutOutput: Fact = { outcome: 'completed' };

/** The fact of a handler that returned. An output that cannot be stored fails the attempt. Never throws. */
export function factOf(returned: unknown): Fact {
  if (returned === undefined) return completedWithoutOutput;
  try {
    if (isOutcome(returned)) return factOfOutcome(returned);
    const output = encodeOutput(returned);
    return output === null ? completedWithoutOutput : { outcome: 'completed', output };
  } catch (error) {
    return { outcome: 'failed', error: errorRecord(error) };
  }
}

/**
 * The fact of a handler that threw, whatever it threw. `attempt` is the one that failed, from 1. Without `backoff` the
 * database alone decides on the delay. Never throws.
 */
export function factOfThrown(error: unknown, attempt: number, backoff: Backoff | undefined): Fact {
  const record = errorRecord(error);
  if (hasCode(error, 'NON_RETRYABLE')) return { outcome: 'discard', reason: record.message, error: record };
  const delayMs = backoff && customDelay(backoff, attempt, error);
  return delayMs === undefined
    ? { outcome: 'failed', error: record }
    : { outcome: 'failed', error: record, delayMs };
}

/** Throws for what only looks like an outcome: another version of the package may have made it. */
function factOfOutcome(returned: Outcome): Fact {
  const { outcome } = returned;
  switch (outcome) {
    case 'snooze':
    case 'retry':
      return { outcome, delayMs: toMilliseconds(returned.delayMs, `${outcome} delay`) };
    case 'cancel':
    case 'discard':
      return { outcome, reason: boundedReason(returned.reason) };
    default:
      throw new ConfigInvalidError('outcome', `${describeValue(outcome)} is not known to this version`);
  }
}

/** The fact as JSON text for settle, its output spliced in as it is: it is JSON already. */
export function encodeFact(fact: Fact): string {
  const { output, ...rest } = fact;
  const text = JSON.stringify(rest);
  return output === undefined ? text : `${text.slice(0, -1)},"output":${output}}`;
}
