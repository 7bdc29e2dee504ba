import type { Executor } from '../db/executor.js';
import { parkKind } from '../sql/generated/statements.gen.js';
import type { Starts } from './lanes.js';

export interface ParkingOptions {
  readonly database: Executor;
  /** The floors of the lanes of a queue: nothing below them waits. */
  readonly floorsOf: (queue: string) => Starts;
  readonly onError: (error: unknown) => void;
}

/** Rows looked at by one statement; while at least a quarter of them is of the kind, another one follows. */
const window = 5000;
const worthWhile = window / 4;

/** Clears the head of a queue of jobs of a kind that may not run here, in bulk. */
export class Parking {
  readonly #options: ParkingOptions;
  readonly #underWay = new Map<string, Promise<void>>();
  #stopped = false;

  constructor(options: ParkingOptions) {
    this.#options = options;
  }

  park(queue: string, kind: string): void {
    const key = JSON.stringify([queue, kind]);
    if (this.#stopped || this.#underWay.has(key)) return;
    const work = this.#parkAll(queue, kind)
      .catch(this.#options.onError)
      .finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, work);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#underWay.values());
  }

  async #parkAll(queue: string, kind: string): Promise<void> {
    const { database, floorsOf } = this.#options;
    let parked = window;
    while (parked >= worthWhile && !this.#stopped) {
      const { runAts, ids } = floorsOf(queue);
      const rows = await database.run(parkKind, {
        queue,
        kind,
        window: window,
        floorRunAts: runAts,
        floorIds: ids,
      });
      parked = rows.length;
    }
  }
}
