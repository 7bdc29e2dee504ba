import type { Claim } from './claim.js';

interface Batch {
  readonly claims: readonly Claim[];
  readonly since: number;
  /** Index of the first that still waits. */
  next: number;
}

/** Claims of one queue that wait for a slot, first come, first served. */
export class WaitingLine {
  readonly #batches: Batch[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds claims in the order they shall start; `since` is no earlier than that of those before. */
  push(claims: readonly Claim[], since: number): void {
    if (claims.length === 0) return;
    this.#batches.push({ claims, since, next: 0 });
    this.#size += claims.length;
  }

  shift(): Claim | undefined {
    const batch = this.#batches[0];
    if (batch === undefined) return undefined;
    const claim = batch.claims[batch.next];
    batch.next += 1;
    this.#size -= 1;
    if (batch.next === batch.claims.length) this.#batches.shift();
    return claim;
  }

  /** Takes out what has waited since before `until`. */
  takeOlder(until: number): Claim[] {
    const older: Claim[] = [];
    for (let batch = this.#batches[0]; batch !== undefined && batch.since < until; batch = this.#batches[0]) {
      older.push(...batch.claims.slice(batch.next));
      this.#batches.shift();
    }
    this.#size -= older.length;
    return older;
  }
}
