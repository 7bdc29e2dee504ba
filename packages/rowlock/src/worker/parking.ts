import type { Executor } from '../db/executor.js';
import { parkUnserved } from '../sql/generated/statements.gen.js';
import type { Starts } from './lanes.js';

export interface ParkingOptions {
  readonly database: Executor;
  /** The floors of the lanes of a queue: nothing below them waits. */
  readonly floorsOf: (queue: string) => Starts;
  /** Kinds that have a handler here and are not paused. */
  readonly served: () => readonly string[];
  readonly onError: (error: unknown) => void;
}

/** Rows looked at by one statement; while at least a quarter of them is parked, another one follows. */
const window = 5000;
const worthWhile = window / 4;

/** Clears the head of a queue of jobs of kinds that may not run here, in bulk. */
export class Parking {
  readonly #options: ParkingOptions;
  readonly #underWay = new Map<string, Promise<void>>();
  #stopped = false;

  constructor(options: ParkingOptions) {
    this.#options = options;
  }

  park(queue: string): void {
    if (this.#stopped || this.#underWay.has(queue)) return;
    const work = this.#parkAll(queue)
      .catch(this.#options.onError)
      .finally(() => this.#underWay.delete(queue));
    this.#underWay.set(queue, work);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#underWay.values());
  }

  async #parkAll(queue: string): Promise<void> {
    const { database, floorsOf, served } = this.#options;
    let parked = window;
    while (parked >= worthWhile && !this.#stopped) {
      const { runAts, ids } = floorsOf(queue);
      const rows = await database.run(parkUnserved, {
        queue,
        served: served(),
        window,
        floorRunAts: runAts,
        floorIds: ids,
      });
      parked = rows.length;
    }
  }
}
