import type { Clock } from '../runtime/clock.js';

/** One reading of the database's clock (microseconds), and when it was asked for on ours (ms). */
export interface Reading {
  readonly clock: number;
  readonly sentAt: number;
  /** Start time of the server that answered, microseconds. */
  readonly startedAt: number;
}

export type Change = 'none' | 'clock went back' | 'clock went forward' | 'another server';

/** Less than this is drift, in microseconds. */
const tolerance = 1000;

/** The database's clock as seen from here, and whether it or its server is still the same. */
export class ServerClock {
  readonly #clock: Clock;
  #startedAt: number | undefined;
  /** Bounds of (database - here), microseconds: a reading was taken after it was asked for and before it arrived. */
  #least = -Infinity;
  #most = Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  hear({ clock, sentAt, startedAt }: Reading): Change {
    const another = this.#startedAt !== undefined && this.#startedAt !== startedAt;
    const least = clock - this.#clock.now() * 1000;
    const most = clock - sentAt * 1000;
    const wentBack = most < this.#least - tolerance;
    const wentForward = least > this.#most + tolerance;
    this.#startedAt = startedAt;
    this.#least = least;
    this.#most = most;
    if (another) return 'another server';
    if (wentBack) return 'clock went back';
    return wentForward ? 'clock went forward' : 'none';
  }

  /** Microseconds, at most as late as the database's clock. */
  now(): number {
    return this.#least + this.#clock.now() * 1000;
  }

  /** Microseconds, at least as late as the database's clock unless that jumped; null before the first reading. */
  latest(): number | null {
    return this.#startedAt === undefined
      ? null
      : Math.ceil(this.#most + tolerance + this.#clock.now() * 1000);
  }
}
