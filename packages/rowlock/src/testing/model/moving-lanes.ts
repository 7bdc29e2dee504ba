import { Lanes } from '../../worker/lanes.js';
import type { Starts } from '../../worker/lanes.js';

/**
 * Lanes whose clock can be moved as tests move the clock: by shifting every stored instant back. What this process knows
 * of instants then moves with them.
 */
export class MovingLanes extends Lanes {
  #moved = 0;

  move(us: number): void {
    this.#moved += us;
  }

  override advance(
    queue: number,
    priority: number,
    row: { readonly runAt: number; readonly id: string },
  ): void {
    super.advance(queue, priority, { runAt: row.runAt + this.#moved, id: row.id });
  }

  override lowerOnce(queue: number, runAt: number): void {
    super.lowerOnce(queue, runAt + this.#moved);
  }

  override startsOf(queues: readonly number[]): Starts {
    return this.#asStored(super.startsOf(queues));
  }

  override get floors(): Starts {
    return this.#asStored(super.floors);
  }

  override raiseFloors(lowest: readonly (readonly [number, string] | null)[], closedUntil: number): void {
    const moved = lowest.map((row) => (row === null ? null : ([row[0] + this.#moved, row[1]] as const)));
    super.raiseFloors(moved, closedUntil + this.#moved);
  }

  #asStored({ runAts, ids }: Starts): Starts {
    return { runAts: runAts.map((runAt) => runAt - this.#moved), ids };
  }
}
