import type { Client } from 'pg';
import type { StoreKind } from '../host/store.js';

/** Args of a job on the bench. */
export interface BenchArgs {
  /** When its enqueue was called, by the clock of `monotonicNow`. */
  readonly at?: number;
  /** Makes the args as long as the lane says. */
  readonly pad?: string;
}

export type Keep = 'kept' | 'not kept';

/** What a system is set up for: as many jobs as possible, each as soon as possible, many that come evenly, or that a lost worker's jobs run again soon. */
export type Purpose = 'throughput' | 'latency' | 'load' | 'rescue';

export interface Producer {
  one(args: BenchArgs, delayMs?: number): Promise<void>;
  many(args: readonly BenchArgs[]): Promise<void>;
  /** On a client on which a transaction was begun. @throws where the system cannot */
  inTransaction(tx: Client, args: BenchArgs): Promise<void>;
  close(): Promise<void>;
}

export interface ProducerOptions {
  readonly keep: Keep;
  readonly purpose: Purpose;
}

export interface ConsumerOptions extends ProducerOptions {
  /** Null: what the system is given for the purpose. */
  readonly concurrency: number | null;
  readonly pollOnly: boolean;
  /** Called as the handler starts. False: the attempt fails, to be retried `retryDelayMs` later. */
  readonly onStart: OnStart;
}

export type OnStart = (args: BenchArgs, attempt: number) => boolean | Promise<boolean>;

/** What a handler returns or throws, by what `onStart` said. */
export function handled(verdict: ReturnType<OnStart>): undefined | Promise<undefined> {
  if (typeof verdict !== 'boolean') return verdict.then(handled);
  if (!verdict) throw new Error('this attempt fails');
  return undefined;
}

export const retryDelayMs = 200;

export interface Consumer {
  start(): Promise<void>;
  /** Jobs whose end is stored; undefined where the system does not tell. */
  settled(): number | undefined;
  stop(): Promise<void>;
}

/** What there should be in the end. */
export interface Expected {
  /** Jobs that nobody has claimed. */
  readonly live: number;
  /** Jobs that succeeded; those of history if it is kept. */
  readonly finished: number;
  /** Attempts each of these took; null: that is not known. */
  readonly attempts: number | null;
}

/** Looks at the store by itself, past the system. */
export interface Inspector {
  /** Whether a job is left that has not ended. */
  hasLive(): Promise<boolean>;
  /** @returns what is wrong, in words */
  check(expected: Expected): Promise<string[]>;
  close(): Promise<void>;
}

/** A job queue on the bench, in processes of ours. */
export interface System {
  readonly name: string;
  readonly store: StoreKind;
  /** What it does with jobs that succeeded; the first is what it is measured with. */
  readonly keeps: readonly [Keep, ...Keep[]];
  /** Whether a job can be stored in a caller's transaction. */
  readonly joinsTransactions: boolean;
  /** Which share of a lane's jobs it is given, so that a slow one takes no longer than the others. */
  readonly share: number;
  given(purpose: Purpose): string;
  /** Makes its tables, in an empty store. */
  prepare(url: string, purpose: Purpose): Promise<void>;
  producer(url: string, options: ProducerOptions): Promise<Producer>;
  consumer(url: string, options: ConsumerOptions): Promise<Consumer>;
  inspect(url: string): Promise<Inspector>;
}
