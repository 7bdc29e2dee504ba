import { compareIds } from './claim.js';

/** One for each priority. */
export const lanesPerQueue = 10;
const lastId = '9223372036854775807';

/** A place in a lane: claims take rows strictly after it. */
interface Place {
  readonly runAt: number;
  readonly id: string;
}

const start: Place = { runAt: 0, id: '0' };

/** Where the claims of a lane go on: written over instead of replaced, since it moves with every job. */
interface Head {
  runAt: number;
  id: string;
}

/** Where the claims of some queues start, as `settle_and_claim` takes it: ten entries a queue. */
export interface Starts {
  readonly runAts: number[];
  readonly ids: string[];
}

/**
 * Where this process claims next in each lane (queue and priority). Hints all: a head is the last row a claim returned;
 * a floor has, as of some pass, no unclaimed row at or below it, not even an uncommitted one. Claims start at heads;
 * a few times a second one starts at the floors and finds what was committed late.
 */
export class Lanes {
  #heads: Head[];
  #floors: Place[];
  readonly #once = new Map<number, number>();

  constructor(queues: number) {
    this.#heads = Array.from({ length: queues * lanesPerQueue }, () => ({ ...start }));
    this.#floors = this.#heads.map(() => start);
  }

  /** Forgets all: the clock went back, or another server answers. */
  reset(): void {
    this.#heads = this.#heads.map(() => ({ ...start }));
    this.#floors = this.#heads.map(() => start);
  }

  advance(queue: number, priority: number, row: Place): void {
    const head = this.#heads[queue * lanesPerQueue + priority];
    if (head === undefined || !isAfter(row, head)) return;
    head.runAt = row.runAt;
    head.id = row.id;
  }

  /** The next claim of this queue starts no later than this instant: a doorbell told of rows there. */
  lowerOnce(queue: number, runAt: number): void {
    this.#once.set(queue, Math.min(runAt - 1, this.#once.get(queue) ?? Infinity));
  }

  /** The next claim of every queue starts at its floors. */
  lowerAllOnce(): void {
    for (let queue = 0; queue * lanesPerQueue < this.#heads.length; queue += 1) this.#once.set(queue, 0);
  }

  startsOf(queues: readonly number[]): Starts {
    const starts: Starts = { runAts: [], ids: [] };
    for (const queue of queues) {
      const once = this.#once.get(queue);
      this.#once.delete(queue);
      for (let priority = 0; priority < lanesPerQueue; priority += 1) {
        const place = this.#startOf(queue * lanesPerQueue + priority, once);
        starts.runAts.push(place.runAt);
        starts.ids.push(place.id);
      }
    }
    return starts;
  }

  #startOf(lane: number, once: number | undefined): Place {
    const floor = this.#floors[lane] ?? start;
    let head: Place = this.#heads[lane] ?? start;
    if (once !== undefined && head.runAt > once) head = { runAt: once, id: lastId };
    return isAfter(head, floor) ? head : floor;
  }

  get floors(): Starts {
    return { runAts: this.#floors.map((floor) => floor.runAt), ids: this.#floors.map((floor) => floor.id) };
  }

  floorsOf(queue: number): Starts {
    const { runAts, ids } = this.floors;
    const [first, end] = [queue * lanesPerQueue, (queue + 1) * lanesPerQueue];
    return { runAts: runAts.slice(first, end), ids: ids.slice(first, end) };
  }

  /**
   * Raises each floor to just below the lowest unclaimed row a pass saw, or else to the end of the closed epochs.
   * @param lowest for each lane `[runAt, id]`, or null where the pass saw none
   */
  raiseFloors(lowest: readonly (readonly [number, string] | null)[], closedUntil: number): void {
    for (const [lane, row] of lowest.entries()) {
      const below =
        row === null
          ? { runAt: closedUntil - 1, id: lastId }
          : { runAt: row[0], id: String(BigInt(row[1]) - 1n) };
      if (isAfter(below, this.#floors[lane] ?? start)) this.#floors[lane] = below;
    }
  }
}

function isAfter(a: Place, b: Place): boolean {
  return a.runAt > b.runAt || (a.runAt === b.runAt && compareIds(a.id, b.id) > 0);
}
