import type { HarnessDatabase } from '../database.js';
import { wait } from '../wait.js';
import { check, type Violation } from './check.js';

interface LiveRow {
  readonly id: string;
  readonly claim_no: number;
  readonly attempt: number;
}

const everyMs = 500;
/** What holds at every instant, not only when all is over. */
const always = ['doubled'];

/** Looks at the tables while faults strike. */
export class Monitor {
  readonly violations: Violation[] = [];
  /** Looks that got an answer: none come while the server is away. */
  looks = 0;
  readonly #database: HarnessDatabase;
  readonly #highest = new Map<string, number>();

  constructor(database: HarnessDatabase) {
    this.#database = database;
  }

  async watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await wait(everyMs, signal);
      const live = await this.#database
        .rows<LiveRow>('select id, claim_no, attempt from rowlock.job')
        .catch(() => undefined);
      const found = await check(this.#database, always).catch(() => []);
      if (live === undefined) continue;
      this.looks += 1;
      this.violations.push(...found);
      this.#compare(live);
    }
  }

  /** A claim number is never lowered, and an attempt is one of at least as many claims. */
  #compare(live: readonly LiveRow[]): void {
    const details: string[] = [];
    for (const { id, claim_no: claimNo, attempt } of live) {
      const before = this.#highest.get(id) ?? 0;
      if (claimNo < before) details.push(`job ${id} went from claim ${before} back to ${claimNo}`);
      if (attempt > claimNo) details.push(`job ${id} counts attempt ${attempt} with ${claimNo} claims`);
      this.#highest.set(id, claimNo);
    }
    if (details.length > 0)
      this.violations.push({ invariant: 'claim_no', count: details.length, details: details.slice(0, 5) });
  }
}
