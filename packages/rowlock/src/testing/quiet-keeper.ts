import type { LeaseKeeper, LeaseListener, Peers } from '../wake/lease-keeper.js';
import { LeaseListeners } from '../wake/lease-listeners.js';

/** A keeper without a database: what it knows and tells is what a test says. */
export class QuietKeeper implements LeaseKeeper {
  readonly mode = 'thread';
  listening = true;
  peers: Peers = { count: 1, rank: 0 };
  leaseEnds = Infinity;
  /** What it was told, such as `start 7 at 1000`. */
  readonly told: string[] = [];
  readonly #listeners = new LeaseListeners();

  boot(): void {
    this.told.push('boot');
  }

  start(workerId: string, registeredAt: number): void {
    this.told.push(`start ${workerId} at ${String(registeredAt)}`);
  }

  adopt(workerId: string, registeredAt: number): void {
    this.told.push(`adopt ${workerId} at ${String(registeredAt)}`);
  }

  stop(): Promise<void> {
    this.told.push('stop');
    return Promise.resolve();
  }

  deadline(): number {
    return this.leaseEnds;
  }

  on(listener: LeaseListener): () => void {
    return this.#listeners.add(listener);
  }

  tell(news: (listener: LeaseListener) => void): void {
    this.#listeners.tell(news);
  }
}
