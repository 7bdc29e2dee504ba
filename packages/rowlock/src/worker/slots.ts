/** Jobs claimed ahead should start within this time. */
const aheadMs = 80;
/** Args that one claim should bring, in characters: all of them are in memory at once, and may come by a slow network. */
const maxClaimCharacters = 8 * 1_048_576;
/** So many jobs are soon claimed at once again, however few a claim that failed had asked for. */
const slowFromAtLeast = 64;
/** Shorter spans say nothing about the rate. */
const sampleMs = 2;

export interface SlotsOptions {
  /** Of the queue among those of this worker. */
  readonly index: number;
  readonly queue: string;
  readonly concurrency: number;
  /** Most jobs to claim in one statement. */
  readonly prefetch: number;
}

export interface AnsweredClaim {
  readonly asked: number;
  readonly jobs: number;
  /** Length of the args of all of them. */
  readonly characters: number;
}

/** The slots of one queue in this process, and how many jobs to claim for it. */
export class Slots {
  readonly index: number;
  readonly queue: string;
  readonly concurrency: number;
  readonly #prefetch: number;
  /** Most jobs to claim at once: one after a claim that failed, then quickly more up to `slowFrom`, then slowly. */
  #most: number;
  #slowFrom: number;
  /** Handlers running. */
  running = 0;
  /** Claimed, waiting here for a slot. */
  waiting = 0;
  /** Asked for by claims under way. */
  asked = 0;
  /** The last claim got all it asked for, or something was heard of since: there may be more. */
  eager = true;
  /** How often something was heard of. */
  wakes = 0;
  #finished = 0;
  /** How long their handlers took, together. */
  #tookMs = 0;
  #sampledAt = 0;
  #lastFinishSeenAt = -Infinity;
  /** Jobs finished per ms of late: what a slot of no work at all can take ahead without anybody waiting for it. */
  #rate = 0;
  /** Length of the args of a job, of late. */
  #characters = 1;

  constructor({ index, queue, concurrency, prefetch }: SlotsOptions) {
    this.index = index;
    this.queue = queue;
    this.concurrency = concurrency;
    this.#prefetch = prefetch;
    this.#most = prefetch;
    this.#slowFrom = prefetch;
  }

  get free(): boolean {
    return this.running < this.concurrency;
  }

  wake(): void {
    this.eager = true;
    this.wakes += 1;
  }

  /** A claim that was sent after so many wakes got less than it asked for. What was heard of later it cannot have seen. */
  fellShort(wakes: number): void {
    if (this.wakes === wakes) this.eager = false;
  }

  finish(tookMs: number): void {
    this.running -= 1;
    this.#finished += 1;
    this.#tookMs += tookMs;
  }

  /** A claim of so many failed, which may have been too much to answer. */
  shrink(count: number): void {
    this.#most = 1;
    this.#slowFrom = Math.max(slowFromAtLeast, Math.floor(count / 2));
  }

  /** A claim was answered. Without any job it says nothing. */
  answered({ asked, jobs, characters }: AnsweredClaim): void {
    if (jobs === 0) return;
    if (asked === this.#most && jobs === asked) this.#grow();
    const mean = characters / jobs;
    this.#characters = Math.max(1, mean, (this.#characters + mean) / 2);
  }

  /**
   * How many more jobs to claim: the free slots, and what is likely to start within `aheadMs`. Twice the prefetch may be
   * here or on its way, so that the server works on one claim while this process runs the jobs of the other. Where no claim
   * is under way or being handed on, it asks for half of what may be ahead: the rest is for a second one.
   */
  wanted(now: number): number {
    this.#sample(now);
    const likely = Math.min(this.#rate * aheadMs, 2 * this.#prefetch);
    const ahead = Math.floor(this.asked === 0 ? likely / 2 : likely);
    const room = this.concurrency + ahead - this.running - this.waiting - this.asked;
    const fitting = Math.max(1, Math.floor(maxClaimCharacters / this.#characters));
    return Math.max(0, Math.min(room, this.#most, fitting));
  }

  /** Notes that so many are being claimed. */
  ask(now: number, most = Infinity): number {
    const count = Math.min(this.wanted(now), most);
    this.asked += count;
    return count;
  }

  #grow(): void {
    const most = this.#most;
    const more = most < this.#slowFrom ? Math.min(this.#slowFrom, 4 * most) : most + Math.ceil(most / 32);
    this.#most = Math.min(this.#prefetch, more);
  }

  #sample(now: number): void {
    const span = now - this.#sampledAt;
    if (span < sampleMs) return;
    this.#sampledAt = now;
    if (this.#finished > 0) this.#lastFinishSeenAt = now;
    // While it has no job none can finish, which says nothing of how fast they run.
    const isDry = this.#finished === 0 && this.running === 0;
    if (isDry && now - this.#lastFinishSeenAt < aheadMs) return;
    // Handlers that began together end together, in a moment that says nothing of how long the next ones will take.
    const rate = this.#finished / Math.max(span, this.#tookMs / this.concurrency);
    this.#rate = Math.max(rate, (this.#rate + rate) / 2);
    this.#finished = 0;
    this.#tookMs = 0;
  }
}
