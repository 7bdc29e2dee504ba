import type { KindSettings } from './kind.js';
import type { Outcome } from './outcome.js';

/** What a handler is told about its job. */
export interface JobInfo {
  readonly id: string;
  readonly kind: string;
  readonly queue: string;
  readonly priority: number;
  /** Counts from 1; an attempt given back (snooze, release) is not counted. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** Fencing token: grows with every claim of the job and is never given twice. */
  readonly claimNo: number;
  /** The same for every attempt of the job: pass it to services that take an idempotency key. */
  readonly idempotencyKey: string;
  readonly runAt: Date;
}

export interface HandlerContext<Args> {
  readonly args: Args;
  readonly job: JobInfo;
  /** Aborted on timeout, lost lease and at the end of the stop grace; tell them apart by `signal.reason.code`. */
  readonly signal: AbortSignal;
}

/** What a handler does: returns its output or an outcome, or throws to fail. */
export type HandlerFunction<Args, Output> = (
  context: HandlerContext<Args>,
) => Output | Outcome | Promise<Output | Outcome>;

/** A kind and what runs it; made by `definition.handle`. */
export interface Handler {
  readonly definition: KindSettings;
  readonly run: (context: HandlerContext<unknown>) => unknown;
}
