import type { Clock, Timer } from '../runtime/clock.js';

interface Alarm {
  readonly at: number;
  readonly action: () => void;
}

/** Time that moves only when told to, firing what is due. */
export class HandClock implements Clock {
  #now = 1_000_000;
  #alarms: Alarm[] = [];

  now(): number {
    return this.#now;
  }

  /** How many timers are pending. */
  get pending(): number {
    return this.#alarms.length;
  }

  after(ms: number, action: () => void): Timer {
    const alarm = { at: this.#now + ms, action };
    this.#alarms.push(alarm);
    const cancel = (): void => {
      this.#alarms = this.#alarms.filter((other) => other !== alarm);
    };
    return { cancel, unref: () => undefined };
  }

  /** Lets everything due run in order of time, and the promises in between. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      const [next] = this.#alarms.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#alarms = this.#alarms.filter((alarm) => alarm !== next);
      this.#now = Math.max(this.#now, next.at);
      next.action();
      await turns();
    }
    this.#now = end;
    await turns();
  }

  /** Time passes, but the loop does not run. */
  block(ms: number): void {
    this.#now += ms;
  }
}

/** Lets the event loop turn until promises and immediates that follow from each other have run. */
export async function turns(count = 4): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
}
