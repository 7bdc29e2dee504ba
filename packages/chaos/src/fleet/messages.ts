import type { WorkerHealth } from 'rowlock';

export interface WorkerSettings {
  readonly url: string;
  readonly journal: string;
  readonly leaseMs: number;
  readonly maxBlockedMs: number;
  readonly concurrency: number;
}

export type ToWorker =
  | { readonly type: 'begin'; readonly settings: WorkerSettings }
  | { readonly type: 'block'; readonly ms: number }
  | { readonly type: 'stop' };

export type FromWorker =
  | { readonly type: 'health'; readonly health: WorkerHealth }
  | { readonly type: 'registered'; readonly workerId: string }
  | { readonly type: 'unblocked' };

/** How often a worker process tells its health, in ms. */
export const healthEveryMs = 200;
