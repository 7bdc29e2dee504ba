import type { Clock, Timer } from '../runtime/clock.js';
import type { LeaseKeeper } from '../wake/lease-keeper.js';

export interface LeaseWatchOptions {
  readonly clock: Clock;
  readonly keeper: LeaseKeeper;
  /** Told once each time that the lease runs out. */
  readonly onExpired: () => void;
}

/** The lease is looked at this often, in ms. */
const lookMs = 100;

/** Notices when the lease has run out: nobody tells, since what could tell is what does not answer. */
export class LeaseWatch {
  readonly #options: LeaseWatchOptions;
  #expired = false;
  #timer: Timer | undefined;

  constructor(options: LeaseWatchOptions) {
    this.#options = options;
  }

  /** As far as this process knows: others may have its jobs. */
  get expired(): boolean {
    return this.#expired;
  }

  start(): void {
    const { keeper, clock, onExpired } = this.#options;
    this.#timer = clock.after(lookMs, () => {
      const expired = clock.now() > keeper.deadline();
      if (expired && !this.#expired) onExpired();
      this.#expired = expired;
      this.start();
    });
    this.#timer.unref();
  }

  stop(): void {
    this.#timer?.cancel();
  }
}
