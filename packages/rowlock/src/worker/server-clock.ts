import type { Clock } from '../runtime/clock.js';

/** One reading of the database's clock (microseconds), and when it was asked for on ours (ms). */
export interface Reading {
  readonly clock: number;
  readonly sentAt: number;
  /** Start time of the server that answered, microseconds. */
  readonly startedAt: number;
}

export type Change = 'none' | 'clock went back' | 'another server';

/** Less than this is drift, in microseconds. */
const TOLERANCE = 1000;

/** The database's clock as seen from here, and whether it or its server is still the same. */
export class ServerClock {
  readonly #clock: Clock;
  #startedAt: number | undefined;
  /** Lower bound of (database - here): an answer may have been under way for a while. */
  #offset = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  hear({ clock, sentAt, startedAt }: Reading): Change {
    const another = this.#startedAt !== undefined && this.#startedAt !== startedAt;
    // The reading was taken after it was asked for: if even that makes it older than the one before, time went back.
    const wentBack = clock - sentAt * 1000 < this.#offset - TOLERANCE;
    this.#startedAt = startedAt;
    this.#offset = clock - this.#clock.now() * 1000;
    if (another) return 'another server';
    return wentBack ? 'clock went back' : 'none';
  }

  /** Microseconds, at most as late as the database's clock. */
  now(): number {
    return this.#offset + this.#clock.now() * 1000;
  }
}
