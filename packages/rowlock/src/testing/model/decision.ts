import type { BackoffData } from '../../job/backoff.js';
import type { Fact } from '../../job/fact.js';
import type { Policy } from '../../job/policy.js';
import { defaultPolicy } from '../../job/policy.js';
import type { ModelJob, Place } from './model-job.js';
import { kindNamed } from './world.js';

/** What must follow a fact, written down a second time: the model shares no code with `rowlock.decide`. */
export interface Decision {
  readonly state: 'completed' | 'cancelled' | 'discarded' | 'scheduled' | 'available' | 'retryable';
  readonly place: Place;
  readonly refund: boolean;
  readonly parks: boolean;
  /** Milliseconds until the job is due again. */
  readonly delay: readonly [from: number, to: number];
}

const ends: readonly [number, number] = [0, 0];

/** A fact, or what rescue says of a claim that never began. */
export type ModelFact = Fact & { readonly unstarted?: boolean };

export function decisionOn(job: ModelJob, fact: ModelFact): Decision {
  const policy = { ...defaultPolicy, ...kindNamed(job.kind).policy, ...job.policy };
  switch (fact.outcome) {
    case 'completed':
      return { state: 'completed', place: 'completed', refund: false, parks: false, delay: ends };
    case 'cancel':
      return { state: 'cancelled', place: 'cancelled', refund: false, parks: false, delay: ends };
    case 'discard':
      return { state: 'discarded', place: 'discarded', refund: false, parks: false, delay: ends };
    case 'snooze':
      return back('scheduled', { refund: true, delay: exactly(fact.delayMs ?? 0) });
    case 'release':
      return back('available', { refund: true, delay: ends });
    case 'park':
      return { ...back('available', { refund: true, delay: ends }), parks: true };
    case 'failed':
    case 'retry':
      return afterFailure(job, fact, policy);
    case 'crashed':
      return afterCrash(job, policy, fact.unstarted === true);
  }
}

function afterFailure(job: ModelJob, fact: Fact, policy: Policy): Decision {
  if (job.attempt >= policy.maxAttempts) return given();
  const delay = fact.delayMs === undefined ? delayAfter(policy.backoff, job.attempt) : exactly(fact.delayMs);
  return back('retryable', { refund: false, delay });
}

function afterCrash(job: ModelJob, policy: Policy, refund: boolean): Decision {
  const isSpent = job.attempt >= policy.maxAttempts && !refund;
  if (isSpent || job.crashes + 1 >= policy.maxCrashes) return given();
  const delay = job.crashes === 0 ? ends : delayAfter(policy.backoff, job.crashes);
  return back('retryable', { refund, delay });
}

function given(): Decision {
  return { state: 'discarded', place: 'discarded', refund: false, parks: false, delay: ends };
}

function back(state: Decision['state'], rest: Pick<Decision, 'refund' | 'delay'>): Decision {
  return { state, place: 'live', parks: false, ...rest };
}

function exactly(ms: number): readonly [number, number] {
  return [ms, ms];
}

function delayAfter(backoff: BackoffData, times: number): readonly [number, number] {
  const base = baseDelay(backoff, times);
  return [base * (1 - backoff.jitter), base * (1 + backoff.jitter)];
}

function baseDelay(backoff: BackoffData, times: number): number {
  switch (backoff.type) {
    case 'fixed':
      return backoff.delayMs;
    case 'linear':
      return Math.min(backoff.stepMs * times, backoff.maxMs);
    case 'exponential':
      return Math.min(backoff.baseMs * backoff.factor ** (times - 1), backoff.maxMs);
  }
}
