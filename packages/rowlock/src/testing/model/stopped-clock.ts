import type { Clock, Timer } from '../../runtime/clock.js';

/** A clock that stands still: its timers fire when told to, whatever they were set for. */
export class StoppedClock implements Clock {
  readonly #timers = new Set<() => void>();

  now(): number {
    return 0;
  }

  after(_ms: number, action: () => void): Timer {
    this.#timers.add(action);
    return { cancel: () => this.#timers.delete(action), unref: () => undefined };
  }

  get pending(): number {
    return this.#timers.size;
  }

  /** Fires the timers that wait now. */
  fire(): void {
    const due = [...this.#timers];
    this.#timers.clear();
    for (const action of due) action();
  }
}
