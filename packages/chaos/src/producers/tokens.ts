import type { Work } from '../fleet/work.js';
import { attemptsForAll } from '../fleet/work.js';
import type { Random } from '../random.js';

/** A job to be enqueued: what it does, and how many attempts it has. */
export interface Plan {
  readonly work: Work;
  readonly maxAttempts: number;
  /** It is due this long after it is enqueued, in ms. */
  readonly delayMs: number;
}

/** `transaction`: with a row of ours in one transaction. `direct`: by a call of its own, coalesced with others. */
export type Route = 'transaction' | 'direct';

/**
 * What the producer was told. Of `unknown` a transaction's own row tells the rest; a direct one may be there or not.
 * `refused` and `rolled back` must be nowhere.
 */
export type Fate = 'acknowledged' | 'rolled back' | 'refused' | 'unknown';

export interface TokenRecord extends Plan {
  readonly route: Route;
  readonly fate: Fate;
}

const attemptsOfDoomed = 3;
const shares = { slow: 0.06, failing: 0.05, doomed: 0.02, snoozing: 0.03, delayed: 0.1 };

/** Deals out tokens, each of them once in a round, and remembers what became of them. */
export class Tokens {
  readonly records: TokenRecord[] = [];
  readonly #random: Random;
  #last = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  plan(): Plan {
    const random = this.#random;
    const token = ++this.#last;
    const slow = random.chance(shares.slow);
    const workMs = Math.round(slow ? random.between(1000, 4500) : random.between(5, 300));
    const delayMs = random.chance(shares.delayed) ? random.integer(100, 2000) : 0;
    const base = {
      token,
      workMs,
      failures: 0,
      snooze: random.chance(shares.snoozing),
      stubborn: random.chance(slow ? 0.7 : 0.2),
    };
    if (random.chance(shares.doomed))
      return { work: { ...base, failures: attemptsForAll }, maxAttempts: attemptsOfDoomed, delayMs };
    const failures = random.chance(shares.failing) ? random.integer(1, 2) : 0;
    return { work: { ...base, failures }, maxAttempts: attemptsForAll, delayMs };
  }

  note(plans: readonly Plan[], route: Route, fate: Fate): void {
    for (const plan of plans) this.records.push({ ...plan, route, fate });
  }
}
