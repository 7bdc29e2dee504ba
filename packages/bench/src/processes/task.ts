import type { Summary } from '../report/statistics.js';
import type { Keep, Purpose } from '../systems/system.js';

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
  /** After how many jobs the process is to look at itself, each time; null: not at all, which costs nothing. */
  readonly markEvery: number | null;
}

/** Calls the producer as fast as it answers. */
export interface EnqueueTask extends Omit<Place, 'system'> {
  readonly do: 'enqueue';
  /** Null: the driver alone. */
  readonly system: string | null;
  /**
   * one: a call a job; many: a call `rows` jobs; transaction: with a row of the caller's. Through the driver alone: caller,
   * that row and nothing else; insert, one job's row without a queue; both, that row and the caller's.
   */
  readonly how: 'one' | 'many' | 'transaction' | 'caller' | 'insert' | 'both';
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
  readonly purpose: Purpose;
  readonly everyMs: number;
  readonly rows: number;
  readonly seconds: number;
  readonly delayMs: number | null;
  /** Jobs that are offered one after the other before the clock starts, and not timed. */
  readonly warmUp: number;
}

/** Starts jobs as they come and times how late. */
export interface ReceiveTask extends Place {
  readonly do: 'receive';
  readonly purpose: Purpose;
  readonly pollOnly: boolean;
  /** The first attempt of each job fails. */
  readonly failFirst: boolean;
  /** By which jobs are due after their call, or after the attempt that failed. */
  readonly delayMs: number;
  /** Spans of time to report by themselves, from the first start on; and runs of them to report together, from one to before another. */
  readonly windows: {
    readonly count: number;
    readonly ms: number;
    readonly together: readonly (readonly [from: number, to: number])[];
  };
}

/** Starts jobs and holds them, so that something can happen to their worker. */
export interface HoldTask extends Place {
  readonly do: 'hold';
  readonly purpose: Purpose;
  readonly concurrency: number;
}

export type Task = DrainTask | EnqueueTask | OfferTask | ReceiveTask | HoldTask;

/** How far a process has come. */
export interface Sample {
  readonly count: number;
  /** By the clock of `monotonicNow`. */
  readonly at: number;
  readonly cpuUs: number;
  /** Of a drain: the jobs counted have ended; otherwise they have started. */
  readonly isEnd?: boolean;
}

export interface DrainResult {
  readonly firstStart: number;
  readonly started: number;
  readonly marks: readonly Mark[];
}

/** How a process was when it had come that far. */
export interface Mark extends Omit<Sample, 'isEnd'> {
  readonly rssBytes: number;
  /** Sockets, workers and whatever else keeps a process alive, timers aside. */
  readonly resources: number;
  /** By how much the event loop came late since the mark before. */
  readonly loopDelayMs: { readonly p50: number; readonly p99: number; readonly max: number };
}

export interface EnqueueResult {
  readonly jobs: number;
  readonly seconds: number;
  readonly cpuUs: number;
}

export interface OfferResult {
  /** Jobs whose enqueue was answered, those of the warm-up among them. */
  readonly offered: number;
}

/** Latencies in ms. */
export interface ReceiveResult {
  readonly all: Summary;
  readonly windows: readonly Summary[];
  readonly together: readonly Summary[];
}

export interface HoldResult {
  readonly started: number;
  /** The `at` of each job whose handler ran to its end. */
  readonly ended: readonly number[];
}

export interface Results {
  readonly drain: DrainResult;
  readonly enqueue: EnqueueResult;
  readonly offer: OfferResult;
  readonly receive: ReceiveResult;
  readonly hold: HoldResult;
}

export type ResultOf<T extends Task> = Results[T['do']];

/** To a child: its task, and then what to do when. */
export type Order =
  | { readonly task: Task }
  | { readonly order: 'go' | 'sample' | 'stop' }
  | { readonly order: 'block'; readonly ms: number };

/** From a child. */
export type Report =
  | { readonly is: 'ready' }
  | ({ readonly is: 'sample' } & Sample)
  | { readonly is: 'done'; readonly result: Results[keyof Results] };
