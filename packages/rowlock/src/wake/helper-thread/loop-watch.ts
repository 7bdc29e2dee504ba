/** Watches from the thread whether the main loop still moves. */
export class LoopWatch {
  readonly #maxBlockedMs: number;
  #beats: bigint;
  #movedAt: number;

  constructor(maxBlockedMs: number, beats: bigint, now: number) {
    this.#maxBlockedMs = maxBlockedMs;
    this.#beats = beats;
    this.#movedAt = now;
  }

  observe(beats: bigint, now: number): void {
    if (beats === this.#beats) return;
    this.#beats = beats;
    this.#movedAt = now;
  }

  /** For how long the loop has not moved, as of `now`. */
  stillFor(now: number): number {
    return now - this.#movedAt;
  }

  /** So long that its jobs are better run elsewhere. */
  isBlocked(now: number): boolean {
    return this.stillFor(now) > this.#maxBlockedMs;
  }
}
