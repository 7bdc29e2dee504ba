import type { FactOutcome } from '../job/fact.js';
import type { ErrorRecord } from '../job/error-record.js';
import type { State } from '../job/state.js';

/** The job an event is about, as this worker claimed it. */
export interface JobEvent {
  readonly id: string;
  readonly kind: string;
  readonly queue: string;
  readonly attempt: number;
  readonly claimNo: number;
}

export interface SettledEvent extends JobEvent {
  readonly outcome: FactOutcome;
  /** What the job is now. */
  readonly state: State;
  readonly error?: ErrorRecord;
}

/** What a worker tells. Listeners run synchronously; one that throws is logged. */
export interface WorkerEvents {
  /** A handler begins. */
  started: JobEvent;
  /** A claim of this worker ended in the database. */
  settled: SettledEvent;
  /** The fence refused a settle: the claim had ended for somebody else. */
  leaseLost: JobEvent;
  /** A settle was cut off and nothing tells how it ended. */
  outcomeUnknown: JobEvent;
  /** Jobs of lost workers were given back. */
  rescued: { readonly jobs: number; readonly discarded: number };
  /** This process registered (again) as a worker. */
  registered: { readonly workerId: string };
  /** Contact with the database came or went. */
  contact: { readonly ok: boolean };
}

/** By its type it has every one of them. */
const isEvent: Readonly<Record<keyof WorkerEvents, true>> = {
  started: true,
  settled: true,
  leaseLost: true,
  outcomeUnknown: true,
  rescued: true,
  registered: true,
  contact: true,
};

export const workerEventNames = Object.keys(isEvent) as (keyof WorkerEvents)[];
