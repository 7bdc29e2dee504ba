import type { Clock, Timer } from '../runtime/clock.js';

const beatMs = 500;
const reportedFromMs = 1000;

export interface LoopBeatOptions {
  readonly clock: Clock;
  readonly maxBlockedMs: number;
  readonly onBeat: () => void;
  readonly onBlocked: (ms: number) => void;
}

/** Shows that the event loop moves, and measures how long it stood still when it did not. */
export class LoopBeat {
  readonly #options: LoopBeatOptions;
  readonly #everyMs: number;
  #lastBeat = 0;
  #timer: Timer | undefined;

  constructor(options: LoopBeatOptions) {
    this.#options = options;
    this.#everyMs = Math.min(beatMs, options.maxBlockedMs / 4);
  }

  start(): void {
    this.#lastBeat = this.#options.clock.now();
    this.#options.onBeat();
    this.#arm();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    this.#timer = this.#options.clock.after(this.#everyMs, () => this.#beat());
    this.#timer.unref();
  }

  #beat(): void {
    const now = this.#options.clock.now();
    const blocked = now - this.#lastBeat - this.#everyMs;
    this.#lastBeat = now;
    this.#arm();
    this.#options.onBeat();
    if (blocked > reportedFromMs) this.#options.onBlocked(blocked);
  }
}
