import type { Policy } from '../../job/policy.js';

export type Place = 'live' | 'completed' | 'cancelled' | 'discarded';

/** Who has the job, until the claim is settled. */
export interface Holder {
  workerId: string;
  readonly claimNo: number;
  /** The address the claim was given; null once the row has moved. */
  tid: string | null;
  /** Its process was told of the claim, and may run the job. */
  readonly heard: boolean;
}

/** A committed job as the model knows it. */
export interface ModelJob {
  readonly id: string;
  readonly queue: string;
  readonly kind: string;
  readonly priority: number;
  readonly policy: Partial<Policy> | null;
  place: Place;
  /** Microseconds, as stored: a shift of time changes it. */
  runAt: number;
  claimNo: number;
  attempt: number;
  crashes: number;
  parked: boolean;
  /** The claims that ended in an error, the last ten. */
  errors: readonly { readonly claimNo: number; readonly isLoss: boolean }[];
  holder: Holder | null;
  /** Claimed, or locked by it, in a transaction that is still open. */
  lockedBy: object | null;
}

export type NewModelJob = Pick<ModelJob, 'id' | 'queue' | 'kind' | 'priority' | 'policy' | 'runAt'>;

export function newModelJob(job: NewModelJob): ModelJob {
  const untouched = {
    claimNo: 0,
    attempt: 0,
    crashes: 0,
    parked: false,
    errors: [],
    holder: null,
    lockedBy: null,
  };
  return { ...job, ...untouched, place: 'live' };
}

/** The engine did what its invariants forbid. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

export function hold(condition: boolean, broken: () => string): asserts condition {
  if (!condition) throw new Violation(broken());
}

export function label(job: ModelJob): string {
  const holder = job.holder === null ? 'nobody' : `worker ${job.holder.workerId}`;
  return (
    `job ${job.id} (${job.place}, ${job.queue}/${String(job.priority)}/${job.kind}, claim ${String(job.claimNo)}, ` +
    `attempt ${String(job.attempt)}, crashes ${String(job.crashes)}, held by ${holder}, ` +
    `run_at ${String(job.runAt)}${job.parked ? ', parked' : ''})`
  );
}
