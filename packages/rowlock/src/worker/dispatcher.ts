import type { Fact } from '../job/fact.js';
import type { Handler } from '../job/handler.js';
import type { Clock } from '../runtime/clock.js';
import { Attempt } from './attempt.js';
import type { Claim } from './claim.js';
import { byLaneOrder } from './claim.js';
import { Running } from './running.js';
import type { Slots } from './slots.js';

export interface DispatcherOptions {
  readonly handlers: ReadonlyMap<string, Handler>;
  readonly slots: readonly Slots[];
  readonly clock: Clock;
  /** Whether this kind may run now: a paused one may not. */
  readonly mayRun: (kind: string) => boolean;
  readonly onStart: (claim: Claim) => void;
  /** An attempt ended with this fact. */
  readonly onAttemptEnded: (claim: Claim, fact: Fact) => void;
  /** A kind that is not served here, or is paused. */
  readonly onUnserved: (claim: Claim) => void;
}

interface Waiting {
  readonly claim: Claim;
  readonly handler: Handler;
  readonly since: number;
}

/** Holds what was claimed until a slot of its queue is free, and runs it. */
export class Dispatcher {
  readonly running: Running;
  readonly #options: DispatcherOptions;
  readonly #slots: ReadonlyMap<string, Slots>;
  readonly #waiting: ReadonlyMap<string, Waiting[]>;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.running = new Running(options.clock);
    this.#slots = new Map(options.slots.map((slots) => [slots.queue, slots]));
    this.#waiting = new Map(options.slots.map((slots) => [slots.queue, []]));
  }

  accept(claims: Claim[]): void {
    const since = this.#options.clock.now();
    for (const claim of claims.sort(byLaneOrder)) {
      const handler = this.#options.handlers.get(claim.kind);
      const slots = this.#slots.get(claim.queue);
      if (handler === undefined || slots === undefined || !this.#options.mayRun(claim.kind)) {
        this.#options.onUnserved(claim);
        continue;
      }
      slots.waiting += 1;
      this.#waiting.get(claim.queue)?.push({ claim, handler, since });
    }
    for (const slots of this.#slots.values()) this.#startFrom(slots);
  }

  /** Takes back what has waited for a slot since before `until`: its handlers turned out slower than those before. */
  withdraw(until: number): Claim[] {
    const withdrawn: Claim[] = [];
    for (const [queue, waiting] of this.#waiting) {
      const kept = waiting.filter(({ since }) => since >= until);
      withdrawn.push(...waiting.filter(({ since }) => since < until).map(({ claim }) => claim));
      waiting.splice(0, waiting.length, ...kept);
      const slots = this.#slots.get(queue);
      if (slots !== undefined) slots.waiting = kept.length;
    }
    return withdrawn;
  }

  #startFrom(slots: Slots): void {
    const waiting = this.#waiting.get(slots.queue);
    if (waiting === undefined || waiting.length === 0) return;
    let started = 0;
    while (slots.free && started < waiting.length) {
      const next = waiting[started];
      started += 1;
      if (next !== undefined) this.#start(next, slots);
    }
    if (started > 0) waiting.splice(0, started);
  }

  #start({ claim, handler }: Waiting, slots: Slots): void {
    slots.waiting -= 1;
    slots.running += 1;
    const attempt = new Attempt(claim, handler, this.#options.clock.now());
    this.running.add(attempt);
    this.#options.onStart(claim);
    void attempt.run().then((fact) => {
      this.running.delete(attempt);
      slots.finish();
      this.#options.onAttemptEnded(claim, fact);
      this.#startFrom(slots);
    });
  }
}
