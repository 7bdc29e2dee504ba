import { deferred, type Deferred } from './deferred.js';

/** Counts what is under way, for whoever waits until nothing is. */
export class UnderWay {
  #count = 0;
  #none: Deferred<void> | undefined;

  get count(): number {
    return this.#count;
  }

  /** @returns ends it; exactly once */
  begin(): () => void {
    this.#count += 1;
    return () => {
      this.#count -= 1;
      if (this.#count > 0) return;
      this.#none?.resolve();
      this.#none = undefined;
    };
  }

  /** Resolves when nothing is under way any more. */
  async none(): Promise<void> {
    while (this.#count > 0) {
      this.#none ??= deferred();
      await this.#none.promise;
    }
  }
}
