import { pause, systemClock, type Clock } from './clock.js';

export interface BackoffOptions {
  /** Ceiling of the first delay, in milliseconds. @defaultValue 100 */
  readonly base?: number;
  /** Ceiling of every delay, in milliseconds. @defaultValue 5000 */
  readonly cap?: number;
  /** In [0, 1). @defaultValue Math.random */
  readonly random?: () => number;
}

export interface Backoff {
  /** The next delay: doubling up to the cap, spread over its upper half so that processes do not return in step. */
  next(): number;
  reset(): void;
}

export function cappedBackoff({
  base = 100,
  cap = 5000,
  random = Math.random,
}: BackoffOptions = {}): Backoff {
  let ceiling = Math.min(base, cap);
  return {
    next() {
      const delay = (ceiling / 2) * (1 + random());
      ceiling = Math.min(ceiling * 2, cap);
      return delay;
    },
    reset() {
      ceiling = Math.min(base, cap);
    },
  };
}

export interface RetryOptions extends BackoffOptions {
  /** Ends the retrying: the promise then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  /** Told of every failure and of the delay that follows, in milliseconds. */
  readonly onError?: (error: unknown, delay: number) => void;
  /** Whether the failure may pass; otherwise it is thrown. @defaultValue every failure may */
  readonly mayPass?: (error: unknown) => boolean;
}

/** Repeats `work` until it resolves. Bounded retries are how a live process ends up doing nothing. */
export async function retryForever<T>(work: () => Promise<T>, options: RetryOptions = {}): Promise<T> {
  const { signal, clock = systemClock, onError, mayPass } = options;
  const backoff = cappedBackoff(options);
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (mayPass?.(error) === false) throw error;
      const delay = backoff.next();
      onError?.(error, delay);
      await pause(clock, delay, signal);
    }
  }
}
