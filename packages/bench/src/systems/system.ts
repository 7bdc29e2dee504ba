import type { Client } from 'pg';

/** Args of a job on the bench. */
export interface BenchArgs {
  /** When its enqueue was called, by the clock of `monotonicNow`. */
  readonly at?: number;
  /** Makes the args as long as the lane says. */
  readonly pad?: string;
}

export type Keep = 'kept' | 'not kept';

export interface Producer {
  one(args: BenchArgs, delayMs?: number): Promise<void>;
  many(args: readonly BenchArgs[]): Promise<void>;
  /** On a client on which a transaction was begun. */
  inTransaction(tx: Client, args: BenchArgs): Promise<void>;
  close(): Promise<void>;
}

export interface ConsumerOptions {
  /** Null: the system's default. */
  readonly concurrency: number | null;
  readonly keep: Keep;
  readonly pollOnly: boolean;
  /** Called as the handler starts. False: the attempt fails, to be retried `retryDelayMs` later. */
  readonly onStart: (args: BenchArgs, attempt: number) => boolean;
}

export const retryDelayMs = 200;

export interface Consumer {
  start(): Promise<void>;
  /** Jobs whose end is stored. */
  settled(): number;
  stop(): Promise<void>;
}

/** What there should be in the end. */
export interface Expected {
  /** Jobs that nobody has claimed. */
  readonly live: number;
  /** Jobs that succeeded; those of history if it is kept. */
  readonly finished: number;
  /** Attempts each of these took. */
  readonly attempts: number;
}

/** A job queue on the bench, in processes of ours. */
export interface System {
  readonly name: string;
  readonly given: string;
  /** Makes its tables, in an empty database. */
  prepare(url: string): Promise<void>;
  producer(url: string, keep: Keep): Producer;
  consumer(url: string, options: ConsumerOptions): Consumer;
  /** Counts rows with SQL of the bench's own. @returns what is wrong, in words */
  check(client: Client, expected: Expected): Promise<string[]>;
}
