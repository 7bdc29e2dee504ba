import { checkObject } from './check.js';
import type { Duration } from './duration.js';
import { toMilliseconds } from './duration.js';
import { errorRecord } from './error-record.js';
import { cleanText } from './text.js';

// In the global registry, so that an outcome made by another copy of the package is known too.
const mark = Symbol.for('rowlock.outcome');

/** Ends the attempt and gives it back: the job is scheduled again and no attempt is counted. */
export interface SnoozeOutcome {
  readonly outcome: 'snooze';
  readonly delayMs: number;
}

/** Ends the attempt as failed without an error, with this delay instead of the backoff's. */
export interface RetryOutcome {
  readonly outcome: 'retry';
  readonly delayMs: number;
}

/** Ends the job: it is not wanted any more. */
export interface CancelOutcome {
  readonly outcome: 'cancel';
  readonly reason: string;
}

/** Ends the job: it can not succeed. */
export interface DiscardOutcome {
  readonly outcome: 'discard';
  readonly reason: string;
}

/** What a handler may return instead of its output. Made by `snooze`, `retry`, `cancel` and `discard` only. */
export type Outcome = (SnoozeOutcome | RetryOutcome | CancelOutcome | DiscardOutcome) & OutcomeMark;

interface OutcomeMark {
  readonly [mark]: true;
}

/** Run the job again after `delay`; the attempt is not counted. */
export function snooze(delay: Duration): Outcome {
  return { [mark]: true, outcome: 'snooze', delayMs: toMilliseconds(delay, 'snooze delay') };
}

/** Run the job again after `in`; the attempt is counted, and the job is discarded if it was the last. */
export function retry(options: { readonly in: Duration }): Outcome {
  checkObject(options, 'retry', "retry({ in: '5m' })");
  return { [mark]: true, outcome: 'retry', delayMs: toMilliseconds(options.in, 'retry in') };
}

/** End the job as cancelled. */
export function cancel(reason: string): Outcome {
  return { [mark]: true, outcome: 'cancel', reason: boundedReason(reason) };
}

/** End the job as discarded, whatever attempts are left. */
export function discard(reason: string): Outcome {
  return { [mark]: true, outcome: 'discard', reason: boundedReason(reason) };
}

/** Whether a handler returned an outcome; anything else it returns is its output. */
export function isOutcome(returned: unknown): returned is Outcome {
  return (
    typeof returned === 'object' && returned !== null && (returned as Partial<OutcomeMark>)[mark] === true
  );
}

const maxReasonLength = 1_000;

/** A reason as it is stored. */
export function boundedReason(reason: string): string {
  // Callers without types pass anything, often the error itself.
  const text = typeof reason === 'string' ? reason : errorRecord(reason).message;
  return cleanText(text.slice(0, maxReasonLength));
}
