import type { Clock } from '../runtime/clock.js';

/** One reading of the database's clock (microseconds), and when it was asked for on ours (ms). */
export interface Reading {
  readonly clock: number;
  readonly sentAt: number;
  /** Start time of the server that answered, microseconds. */
  readonly startedAt: number;
}

export type Change = 'none' | 'clock went back' | 'clock went forward' | 'another server';

/** A difference of less than this is no jump. */
const toleranceUs = 1000;
/** How fast two clocks drift apart, as a rule: NTP slews by 500 ppm at most. One that is faster is followed all the same. */
const driftUsPerMs = 0.5;

/** The database's clock as seen from here, and whether it or its server is still the same. */
export class ServerClock {
  readonly #clock: Clock;
  #startedAt: number | undefined;
  /** Bounds of (database - here), microseconds: a reading was taken after it was asked for and before it arrived. */
  #least = -Infinity;
  #most = Infinity;
  /** The best lower bound of all readings so far, less what may have drifted since. */
  #best = -Infinity;
  #heardAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  hear({ clock, sentAt, startedAt }: Reading): Change {
    const another = this.#startedAt !== undefined && this.#startedAt !== startedAt;
    const here = this.#clock.now();
    const least = clock - here * 1000;
    const most = clock - sentAt * 1000;
    const wentBack = most < this.#least - toleranceUs;
    const wentForward = least > this.#most + toleranceUs;
    this.#startedAt = startedAt;
    // An answer that was long under way tells less than a prompt one before it.
    const best = this.#best - (here - this.#heardAt) * driftUsPerMs;
    this.#best = another || wentBack || best > most ? least : Math.max(least, best);
    this.#heardAt = here;
    this.#least = least;
    this.#most = most;
    if (another) return 'another server';
    if (wentBack) return 'clock went back';
    return wentForward ? 'clock went forward' : 'none';
  }

  /** Microseconds, at most as late as the database's clock. */
  now(): number {
    return this.#best + this.#clock.now() * 1000;
  }

  /** Microseconds, at least as late as the database's clock unless that jumped; null before the first reading. */
  latest(): number | null {
    return this.#startedAt === undefined
      ? null
      : Math.ceil(this.#most + toleranceUs + this.#clock.now() * 1000);
  }
}
