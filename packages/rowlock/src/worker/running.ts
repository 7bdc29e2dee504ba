import type { AbortReason } from '../job/errors.js';
import { TimeoutError } from '../job/errors.js';
import type { Clock, Timer } from '../runtime/clock.js';
import type { Attempt } from './attempt.js';

/** The attempts under way; aborts each at its deadline with one timer for all. */
export class Running {
  readonly #attempts = new Set<Attempt>();
  readonly #clock: Clock;
  #timer: Timer | undefined;
  #timerAt = Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#attempts.size;
  }

  add(attempt: Attempt): void {
    this.#attempts.add(attempt);
    if (attempt.deadline < this.#timerAt) this.#arm(attempt.deadline);
  }

  delete(attempt: Attempt): void {
    this.#attempts.delete(attempt);
  }

  [Symbol.iterator](): IterableIterator<Attempt> {
    return this.#attempts.values();
  }

  /** Handlers of each queue that ran past their timeout and have not ended for all that. */
  overdue(): ReadonlyMap<string, number> {
    const overdue = new Map<string, number>();
    for (const { timedOut, claim } of this.#attempts) {
      if (timedOut) overdue.set(claim.queue, (overdue.get(claim.queue) ?? 0) + 1);
    }
    return overdue;
  }

  abortAll(reason: AbortReason): void {
    for (const attempt of this.#attempts) attempt.abort(reason);
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timerAt = Infinity;
  }

  #arm(deadline: number): void {
    this.#timer?.cancel();
    this.#timerAt = deadline;
    this.#timer = this.#clock.after(Math.max(0, deadline - this.#clock.now()), () => this.#abortLate());
    this.#timer.unref();
  }

  #abortLate(): void {
    const now = this.#clock.now();
    let next = Infinity;
    for (const attempt of this.#attempts) {
      if (attempt.aborted) continue;
      if (attempt.deadline <= now)
        attempt.abort(new TimeoutError(`the attempt ran longer than ${attempt.policy.timeoutMs} ms`));
      else next = Math.min(next, attempt.deadline);
    }
    this.#timerAt = Infinity;
    if (next < Infinity) this.#arm(next);
  }
}
