/** Counts since the worker was made. */
export interface WorkerCounters {
  started: number;
  settled: number;
  /** Of those settled, given back unharmed: their handlers had not begun, or were aborted for the worker's sake. */
  released: number;
  /** Attempts that ended with an error: one that was thrown, or one about args or output. Not what a handler asked for. */
  failed: number;
  /** Settles that the fence refused. */
  leaseLost: number;
  /** Claims of which nothing tells how they ended. */
  outcomeUnknown: number;
  /** Statements that were cut off, so that their outcome had to be found out. */
  cutOff: number;
  rescued: number;
  parked: number;
}

export interface WorkerHealth {
  /** The worker works, or would if there were jobs. */
  readonly ok: boolean;
  /** Why not, in words; empty when ok. */
  readonly reasons: readonly string[];
  readonly state: 'new' | 'starting' | 'running' | 'stopping' | 'stopped';
  readonly workerId: string | null;
  /** Rings are heard; otherwise jobs are found by polling. */
  readonly listening: boolean;
  /** Where the lease is renewed from: a helper thread, or the main event loop (and then by polling only). */
  readonly lease: 'thread' | 'loop';
  /** Handlers running, jobs claimed ahead, and ends not yet stored. */
  readonly running: number;
  readonly waiting: number;
  /** Of those running, handlers that ran past their timeout and ignore their aborted signal. */
  readonly overdue: number;
  readonly unsettled: number;
  readonly counters: Readonly<WorkerCounters>;
}

export function newCounters(): WorkerCounters {
  return {
    started: 0,
    settled: 0,
    released: 0,
    failed: 0,
    leaseLost: 0,
    outcomeUnknown: 0,
    cutOff: 0,
    rescued: 0,
    parked: 0,
  };
}
