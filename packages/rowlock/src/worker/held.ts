import type { Claim } from './claim.js';

/** Claims that have ended are cleared away once there are so many more of them than of others. */
const fewEnded = 1000;

/**
 * The claims of this process whose end is not stored yet. Each is marked by a field of its own, for it is looked up for
 * every job and gone through hardly ever: a set would cost more than the marks and the list together.
 */
export class Held {
  #claims: Claim[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** @param claims that were never added before */
  add(claims: readonly Claim[]): void {
    for (const claim of claims) {
      claim.held = true;
      this.#claims.push(claim);
    }
    this.#size += claims.length;
  }

  has(claim: Claim): boolean {
    return claim.held;
  }

  /** @returns whether it was held */
  delete(claim: Claim): boolean {
    if (!claim.held) return false;
    claim.held = false;
    // It may stay in the list for a while, and its args may keep the text of their whole row.
    claim.args = '';
    this.#size -= 1;
    if (this.#size === 0) this.#claims = [];
    else if (this.#claims.length > 2 * this.#size + fewEnded)
      this.#claims = this.#claims.filter((each) => each.held);
    return true;
  }

  *[Symbol.iterator](): Generator<Claim> {
    for (const claim of this.#claims) if (claim.held) yield claim;
  }
}
