import type { Summary } from '../report/statistics.js';
import type { Keep } from '../systems/system.js';

interface Place {
  /** Name of a system. */
  readonly system: string;
  readonly url: string;
}

/** Works off what is there. */
export interface DrainTask extends Place {
  readonly do: 'drain';
  readonly concurrency: number | null;
  readonly keep: Keep;
}

/** Calls the producer as fast as it answers. */
export interface EnqueueTask extends Place {
  readonly do: 'enqueue';
  /** one: a call a job; many: a call `rows` jobs; transaction: with a row of the caller's; bare: that row alone. */
  readonly how: 'one' | 'many' | 'transaction' | 'bare';
  readonly rows: number;
  readonly inFlight: number;
  readonly calls: number;
  /** Calls before the clock starts. */
  readonly warmUp: number;
  readonly argsBytes: number;
}

/** Calls the producer by the clock. */
export interface OfferTask extends Place {
  readonly do: 'offer';
  readonly everyMs: number;
  readonly rows: number;
  readonly seconds: number;
  readonly delayMs: number | null;
}

/** Starts jobs as they come and times how late. */
export interface ReceiveTask extends Place {
  readonly do: 'receive';
  readonly pollOnly: boolean;
  /** The first attempt of each job fails. */
  readonly failFirst: boolean;
  /** By which jobs are due after their call, or after the attempt that failed. */
  readonly delayMs: number;
  /** Spans of time to report by themselves, from the first start on; `tail` of the last ones are reported together too. */
  readonly windows: { readonly count: number; readonly ms: number; readonly tail: number };
}

export type Task = DrainTask | EnqueueTask | OfferTask | ReceiveTask;

/** How far a process has come. */
export interface Sample {
  readonly count: number;
  /** By the clock of `monotonicNow`. */
  readonly at: number;
  readonly cpuUs: number;
}

export interface DrainResult {
  readonly firstStart: number;
  readonly started: number;
}

export interface EnqueueResult {
  readonly jobs: number;
  readonly seconds: number;
  readonly cpuUs: number;
}

export interface OfferResult {
  /** Jobs whose enqueue was answered. */
  readonly offered: number;
}

/** Latencies in ms. */
export interface ReceiveResult {
  readonly all: Summary;
  readonly windows: readonly Summary[];
  readonly tail: Summary;
}

export interface Results {
  readonly drain: DrainResult;
  readonly enqueue: EnqueueResult;
  readonly offer: OfferResult;
  readonly receive: ReceiveResult;
}

export type ResultOf<T extends Task> = Results[T['do']];

/** To a child: its task, and then what to do when. */
export type Order = { readonly task: Task } | { readonly order: 'go' | 'sample' | 'stop' };

/** From a child. */
export type Report =
  | { readonly is: 'ready' }
  | ({ readonly is: 'sample' } & Sample)
  | { readonly is: 'done'; readonly result: Results[keyof Results] };
