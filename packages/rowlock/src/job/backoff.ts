import { checkNumber, checkOptions } from './check.js';
import type { Duration } from './duration.js';
import { toMilliseconds } from './duration.js';
import { describeValue } from './describe.js';
import { ConfigInvalidError } from './errors.js';

/** `min(max, base * factor^(attempt - 1))`, attempt counting from 1; jitter never exceeds `max`. */
export interface ExponentialBackoff {
  readonly type: 'exponential';
  readonly baseMs: number;
  readonly factor: number;
  readonly maxMs: number;
  readonly jitter: number;
}

/** `min(max, step * attempt)`, attempt counting from 1. */
export interface LinearBackoff {
  readonly type: 'linear';
  readonly stepMs: number;
  readonly maxMs: number;
  readonly jitter: number;
}

export interface FixedBackoff {
  readonly type: 'fixed';
  readonly delayMs: number;
  readonly jitter: number;
}

/** The delay before the next attempt, as data that SQL can evaluate. Jitter 0.2 spreads a delay over ±20 %. */
export type BackoffData = ExponentialBackoff | LinearBackoff | FixedBackoff;

/** Chooses the delay in the worker; `attempt` is the one that failed, from 1. */
export type BackoffFunction = (attempt: number, error: unknown) => Duration;

/** A backoff as `defineJob` takes it. `data` serves where no function can run: rescue, SQL callers, other processes. */
export interface Backoff {
  readonly data: BackoffData;
  readonly custom?: BackoffFunction | undefined;
}

export interface ExponentialOptions {
  /** Delay after the first failure. @defaultValue '2s' */
  readonly base?: Duration | undefined;
  /** Growth per attempt, 1 or more. @defaultValue 2 */
  readonly factor?: number | undefined;
  /** Longest delay, jitter included. @defaultValue '1h' */
  readonly max?: Duration | undefined;
  /** Share of the delay, 0 to 1, by which it varies either way. @defaultValue 0.2 */
  readonly jitter?: number | undefined;
}

export interface LinearOptions {
  /** Added per attempt. @defaultValue '30s' */
  readonly step?: Duration | undefined;
  /** Longest delay, jitter included. @defaultValue '1h' */
  readonly max?: Duration | undefined;
  /** Share of the delay, 0 to 1, by which it varies either way. @defaultValue 0.2 */
  readonly jitter?: number | undefined;
}

export interface FixedOptions {
  /** Delay after each failure. @defaultValue '30s' */
  readonly delay?: Duration | undefined;
  /** Share of the delay, 0 to 1, by which it varies either way. @defaultValue 0.2 */
  readonly jitter?: number | undefined;
}

const defaultJitter = 0.2;

/** Delays that multiply: 2 s, 4 s, 8 s … up to `max`. */
export function exponential(options: ExponentialOptions = {}): Backoff {
  checkOptions(options, 'backoff', ['base', 'factor', 'max', 'jitter']);
  const { base = '2s', factor = 2, max = '1h', jitter = defaultJitter } = options;
  checkNumber(factor, 'backoff.factor', { min: 1, max: 1_000 });
  const data = {
    baseMs: toMilliseconds(base, 'backoff.base'),
    factor,
    maxMs: toMilliseconds(max, 'backoff.max'),
  };
  return { data: { type: 'exponential', ...data, jitter: checkedJitter(jitter) } };
}

/** Delays that grow by the same step: 30 s, 60 s, 90 s … up to `max`. */
export function linear(options: LinearOptions = {}): Backoff {
  checkOptions(options, 'backoff', ['step', 'max', 'jitter']);
  const { step = '30s', max = '1h', jitter = defaultJitter } = options;
  const data = { stepMs: toMilliseconds(step, 'backoff.step'), maxMs: toMilliseconds(max, 'backoff.max') };
  return { data: { type: 'linear', ...data, jitter: checkedJitter(jitter) } };
}

/** The same delay after each failure. */
export function fixed(options: FixedOptions = {}): Backoff {
  checkOptions(options, 'backoff', ['delay', 'jitter']);
  const { delay = '30s', jitter = defaultJitter } = options;
  return {
    data: { type: 'fixed', delayMs: toMilliseconds(delay, 'backoff.delay'), jitter: checkedJitter(jitter) },
  };
}

/** A delay of your own choosing; `fallback` serves where the function cannot run or gives no valid delay. */
export function custom(delayAfter: BackoffFunction, options: { readonly fallback: Backoff }): Backoff {
  if (typeof delayAfter !== 'function') {
    const got = describeValue(delayAfter);
    throw new ConfigInvalidError('backoff', `must be a function of (attempt, error) (got ${got})`);
  }
  const given: { readonly fallback?: unknown } = options ?? {};
  checkOptions(given, 'backoff', ['fallback']);
  const { fallback } = given;
  if (!isBackoff(fallback)) {
    throw new ConfigInvalidError(
      'backoff.fallback',
      'is not a backoff: use exponential(), linear() or fixed()',
    );
  }
  return { data: fallback.data, custom: delayAfter };
}

/** The delay a custom backoff asks for; undefined where the data decides. A broken function never breaks the settle. */
export function customDelay(backoff: Backoff, attempt: number, error: unknown): number | undefined {
  if (backoff.custom === undefined) return undefined;
  try {
    return toMilliseconds(backoff.custom(attempt, error), 'backoff');
  } catch {
    return undefined;
  }
}

/** Whether the value was made by one of the builders above. */
export function isBackoff(value: unknown): value is Backoff {
  return typeof value === 'object' && value !== null && 'data' in value && typeof value.data === 'object';
}

function checkedJitter(jitter: number): number {
  checkNumber(jitter, 'backoff.jitter', { min: 0, max: 1 });
  return jitter;
}
