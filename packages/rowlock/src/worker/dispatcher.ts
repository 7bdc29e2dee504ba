import type { Fact } from '../job/fact.js';
import type { Handler } from '../job/handler.js';
import type { Clock } from '../runtime/clock.js';
import type { OnEnded } from './attempt.js';
import { Attempt } from './attempt.js';
import type { Claim } from './claim.js';
import { Running } from './running.js';
import type { Slots } from './slots.js';
import { WaitingLine } from './waiting-line.js';

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

interface Queue {
  readonly slots: Slots;
  readonly line: WaitingLine;
  readonly onEnded: OnEnded;
  /** What waits is being started. */
  filling: boolean;
}

/** Holds what was claimed until a slot of its queue is free, and runs it. */
export class Dispatcher {
  readonly running: Running;
  readonly #options: DispatcherOptions;
  readonly #queues: readonly Queue[];

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.running = new Running(options.clock);
    this.#queues = options.slots.map((slots) => {
      const line = new WaitingLine();
      // One for the queue and not one for each attempt.
      const onEnded = (attempt: Attempt, fact: Fact): void => this.#ended(queue, attempt, fact);
      const queue: Queue = { slots, line, onEnded, filling: false };
      return queue;
    });
  }

  /** @param claims in the order they shall start */
  accept(claims: readonly Claim[]): void {
    const since = this.#options.clock.now();
    for (const queue of this.#queues) {
      const { slots, line } = queue;
      const own = claims.filter((claim) => claim.queue === slots.queue && this.#serves(claim));
      line.push(own, since);
      this.#fill(queue);
    }
  }

  /** Takes back what has waited for a slot since before `until`: its handlers turned out slower than those before. */
  withdraw(until: number): Claim[] {
    const withdrawn: Claim[] = [];
    for (const { slots, line } of this.#queues) {
      withdrawn.push(...line.takeOlder(until));
      slots.waiting = line.size;
    }
    return withdrawn;
  }

  #serves(claim: Claim): boolean {
    const { handlers, mayRun, onUnserved } = this.#options;
    if (handlers.has(claim.kind) && mayRun(claim.kind)) return true;
    onUnserved(claim);
    return false;
  }

  /** Starts what waits, as long as a slot is free. A handler that ends at once comes back here from within the loop, which goes on. */
  #fill(queue: Queue): void {
    if (queue.filling) return;
    const { slots, line } = queue;
    queue.filling = true;
    while (slots.free) {
      const claim = line.shift();
      if (claim === undefined) break;
      this.#start(queue, claim);
    }
    queue.filling = false;
    slots.waiting = line.size;
  }

  #start({ slots, onEnded }: Queue, claim: Claim): void {
    const handler = this.#options.handlers.get(claim.kind);
    if (handler === undefined) return this.#options.onUnserved(claim);
    slots.running += 1;
    const attempt = new Attempt(claim, handler, this.#options.clock.now());
    this.running.add(attempt);
    this.#options.onStart(claim);
    attempt.run(onEnded);
  }

  #ended(queue: Queue, attempt: Attempt, fact: Fact): void {
    this.running.delete(attempt);
    queue.slots.finish(this.#options.clock.now() - attempt.startedAt);
    this.#options.onAttemptEnded(attempt.claim, fact);
    this.#fill(queue);
  }
}
