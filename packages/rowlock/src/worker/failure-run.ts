/** Failures in a row until it is more than an accident. */
const longRun = 3;

/** Statements that failed one after another: each was sent after the one before had failed. */
export class FailureRun {
  #failures = 0;
  #failedAt = -Infinity;

  get isLong(): boolean {
    return this.#failures >= longRun;
  }

  /** Both on one clock. Of those that were under way together only the first counts. */
  failed(sentAt: number, now: number): void {
    if (sentAt >= this.#failedAt) this.#failures += 1;
    this.#failedAt = now;
  }

  end(): void {
    this.#failures = 0;
  }
}
