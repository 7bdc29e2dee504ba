import type { LeaseListener } from './lease-keeper.js';

/** Those whom a keeper tells what happens to the lease. */
export class LeaseListeners {
  readonly #listeners = new Set<LeaseListener>();

  add(listener: LeaseListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(news: (listener: LeaseListener) => void): void {
    for (const listener of this.#listeners) news(listener);
  }
}
