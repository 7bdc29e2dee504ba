import { pause, systemClock, type Clock } from './clock.js';

/** Ceiling of the pauses between tries, in milliseconds: a server that comes and goes may be there for a second only. */
export const longestPauseMs = 1000;

export interface PausesOptions {
  /** Ceiling of the first pause, in milliseconds. @defaultValue 100 */
  readonly base?: number;
  /** Ceiling of every pause, in milliseconds. @defaultValue longestPauseMs */
  readonly cap?: number;
  /** In [0, 1). @defaultValue Math.random */
  readonly random?: () => number;
}

/** Pauses between tries of our own calls. A `backoff` is the policy of a job, and has nothing to do with them. */
export interface Pauses {
  /** How long the next one is, in milliseconds: doubling up to the cap, spread over its upper half so that processes do not return in step. */
  next(): number;
  reset(): void;
}

export function cappedPauses({
  base = 100,
  cap = longestPauseMs,
  random = Math.random,
}: PausesOptions = {}): Pauses {
  let ceiling = Math.min(base, cap);
  return {
    next() {
      const ms = (ceiling / 2) * (1 + random());
      ceiling = Math.min(ceiling * 2, cap);
      return ms;
    },
    reset() {
      ceiling = Math.min(base, cap);
    },
  };
}

export interface RetryOptions extends PausesOptions {
  /** Ends the retrying: the promise then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  readonly onError?: (error: unknown) => void;
  /** Whether the failure may pass; otherwise it is thrown. @defaultValue every failure may */
  readonly mayPass?: (error: unknown) => boolean;
}

/** Repeats `work` until it resolves. Bounded retries are how a live process ends up doing nothing. */
export async function retryForever<T>(work: () => Promise<T>, options: RetryOptions = {}): Promise<T> {
  const { signal, clock = systemClock, onError, mayPass } = options;
  const pauses = cappedPauses(options);
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (mayPass?.(error) === false) throw error;
      onError?.(error);
      await pause(clock, pauses.next(), signal);
    }
  }
}
