import type { Executor } from '../db/executor.js';
import { hasCode } from '../job/errors.js';
import { cappedBackoff } from '../runtime/backoff.js';
import type { Clock, Timer } from '../runtime/clock.js';
import { settleAndClaim } from '../sql/generated/statements.gen.js';
import type { SettleAndClaimRow } from '../sql/generated/statements.gen.js';
import type { Claim } from './claim.js';
import { isClaim } from './claim.js';
import type { Lanes } from './lanes.js';
import type { Reading } from './server-clock.js';
import type { Slots } from './slots.js';

/** What the first row of `settle_and_claim` reports. */
export interface Report extends Reading {
  /** A worker id that is marked dead and may not claim any more. */
  readonly dead: string | null;
}

export interface CycleOptions {
  readonly database: Executor;
  readonly clock: Clock;
  readonly lanes: Lanes;
  readonly slots: readonly Slots[];
  /** The worker id to claim for; null: nothing may be claimed now. */
  readonly claimant: () => string | null;
  readonly parked: () => readonly (readonly [queue: string, kind: string])[];
  readonly onReport: (report: Report) => void;
  readonly onClaims: (claims: Claim[]) => void;
  readonly onSettled: (claim: Claim) => void;
  /** These were not where they had been: settle them by id. `doubt`: their statement was cut off. */
  readonly onMissed: (done: readonly Done[], doubt: boolean) => void;
  /** A claim was cut off: jobs may be claimed that nobody here knows of. */
  readonly onUnknownClaim: (workerId: string) => void;
  readonly onError: (error: unknown) => void;
  /** Claims came back short: this process is about to wait. */
  readonly onIdle: () => void;
}

/** A claim that ended in success. */
export interface Done {
  readonly claim: Claim;
  readonly output: string | null;
}

/** Two statements under way keep both the server and this process busy; a third only makes batches smaller. */
const MAX_UNDER_WAY = 2;
/** Settles that make a second statement worth while; and the longest they wait for company, in ms. */
const FULL_BATCH = 50;
const MAX_SETTLE_WAIT = 5;
const MAX_BATCH = 1000;

/** The hot path: settles what is done and claims what may follow, in one statement and one commit. */
export class Cycle {
  readonly #options: CycleOptions;
  #done: Done[] = [];
  #doneSince = 0;
  #underWay = 0;
  #stirred = false;
  #timer: Timer | undefined;
  #pausedUntil = 0;
  readonly #backoff = cappedBackoff({ base: 20, cap: 2000 });

  constructor(options: CycleOptions) {
    this.#options = options;
  }

  get unsettled(): number {
    return this.#done.length;
  }

  get underWay(): number {
    return this.#underWay;
  }

  complete(done: Done): void {
    if (this.#done.length === 0) this.#doneSince = this.#options.clock.now();
    this.#done.push(done);
    this.stir();
  }

  /** Looks again whether there is something to do, once the present turn of the event loop is over. */
  stir(): void {
    if (this.#stirred) return;
    this.#stirred = true;
    setImmediate(() => {
      this.#stirred = false;
      this.#pump();
    });
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #pump(): void {
    const now = this.#options.clock.now();
    if (now < this.#pausedUntil) return this.#stirLater(this.#pausedUntil - now);
    while (this.#underWay < MAX_UNDER_WAY) {
      const queues = this.#hungryQueues(now);
      if (!this.#due(queues, now)) break;
      void this.#launch(queues, now);
    }
    if (this.#done.length > 0 && this.#underWay === 1) this.#stirLater(MAX_SETTLE_WAIT);
  }

  #hungryQueues(now: number): number[] {
    if (this.#options.claimant() === null) return [];
    return [...this.#options.slots.keys()].filter((queue) => {
      const slots = this.#options.slots[queue];
      return slots !== undefined && slots.eager && slots.wanted(now) > 0;
    });
  }

  #due(queues: readonly number[], now: number): boolean {
    if (this.#underWay === 0) return this.#done.length > 0 || queues.length > 0;
    if (this.#done.length >= FULL_BATCH) return true;
    if (this.#done.length > 0 && now - this.#doneSince >= MAX_SETTLE_WAIT) return true;
    return queues.some((queue) => {
      const slots = this.#options.slots[queue];
      return slots !== undefined && slots.asked === 0 && slots.wanted(now) >= slots.concurrency / 2;
    });
  }

  #stirLater(ms: number): void {
    this.#timer?.cancel();
    this.#timer = this.#options.clock.after(ms, () => this.stir());
  }

  async #launch(queues: number[], now: number): Promise<void> {
    const { database, lanes, claimant } = this.#options;
    const done = this.#done.length > MAX_BATCH ? this.#done.splice(0, MAX_BATCH) : this.#done.splice(0);
    const workerId = claimant();
    const asked = queues.map((queue) => this.#ask(queue, now));
    const starts = lanes.startsOf(queues);
    this.#underWay += 1;
    try {
      const rows = await database.run(settleAndClaim, {
        ...settlesOf(done),
        workerId: workerId ?? '0',
        queues: queues.map((queue) => this.#options.slots[queue]?.queue ?? ''),
        slots: asked,
        headRunAts: starts.runAts,
        headIds: starts.ids,
        ...this.#parkedParams(queues),
      });
      this.#backoff.reset();
      this.#answer(rows, done, { sentAt: now, workerId });
      this.#feed(queues, asked, rows);
    } catch (error) {
      this.#fail({ error, done, workerId: queues.length > 0 ? workerId : null });
      this.#unask(queues, asked);
    } finally {
      this.#underWay -= 1;
      this.stir();
    }
  }

  #ask(queue: number, now: number): number {
    const slots = this.#options.slots[queue];
    const wanted = slots?.wanted(now) ?? 0;
    if (slots !== undefined) slots.asked += wanted;
    return wanted;
  }

  #unask(queues: readonly number[], asked: readonly number[]): void {
    for (const [i, queue] of queues.entries()) {
      const slots = this.#options.slots[queue];
      if (slots !== undefined) slots.asked -= asked[i] ?? 0;
    }
  }

  #parkedParams(queues: readonly number[]): { parkedQueues: string[]; parkedKinds: string[] } {
    const parked = queues.length === 0 ? [] : this.#options.parked();
    return { parkedQueues: parked.map(([queue]) => queue), parkedKinds: parked.map(([, kind]) => kind) };
  }

  #answer(rows: readonly SettleAndClaimRow[], done: readonly Done[], asked: { sentAt: number; workerId: string | null }): void {
    const [report] = rows;
    if (report === undefined) throw new TypeError('settle_and_claim answered without its report row');
    const { startedAt, missed } = JSON.parse(report.args) as { startedAt: number; missed: string[] | null };
    const dead = report.claimNo === 1 ? null : asked.workerId;
    this.#options.onReport({ dead, clock: report.runAt, startedAt, sentAt: asked.sentAt });
    if (missed === null) {
      for (const { claim } of done) this.#options.onSettled(claim);
      return;
    }
    const ids = new Set(missed);
    for (const { claim } of done) if (!ids.has(claim.id)) this.#options.onSettled(claim);
    this.#options.onMissed(done.filter(({ claim }) => ids.has(claim.id)), false);
  }

  /** Hands on what was claimed. A queue that got less than it asked for has, as far as this claim saw, no more. */
  #feed(queues: readonly number[], asked: readonly number[], rows: readonly SettleAndClaimRow[]): void {
    this.#unask(queues, asked);
    const claims = rows.filter(isClaim);
    const taken = new Map<string, number>();
    for (const claim of claims) taken.set(claim.queue, (taken.get(claim.queue) ?? 0) + 1);
    for (const [i, queue] of queues.entries()) {
      const slots = this.#options.slots[queue];
      if (slots === undefined) continue;
      slots.eager = (taken.get(slots.queue) ?? 0) >= (asked[i] ?? 0);
      for (const claim of claims) if (claim.queue === slots.queue && !claim.parked) this.#options.lanes.advance(queue, claim.priority, claim);
    }
    if (claims.length > 0) this.#options.onClaims(claims);
    if (queues.length > 0 && this.#options.slots.every((slots) => !slots.eager)) this.#options.onIdle();
  }

  #fail({ error, done, workerId }: { error: unknown; done: Done[]; workerId: string | null }): void {
    const doubt = hasCode(error, 'OUTCOME_UNKNOWN');
    // What surely did not happen, for want of a connection, is simply tried again.
    if (hasCode(error, 'CONNECTION')) this.#done.unshift(...done);
    else if (done.length > 0) this.#options.onMissed(done, doubt);
    if (doubt && workerId !== null) this.#options.onUnknownClaim(workerId);
    this.#pausedUntil = this.#options.clock.now() + this.#backoff.next();
    this.#options.onError(error);
  }
}

const WITHOUT_OUTPUTS: readonly null[] = [];

function settlesOf(done: readonly Done[]): { tids: string[]; ids: string[]; claimNos: number[]; outputs: readonly (string | null)[] } {
  return {
    tids: done.map(({ claim }) => claim.tid),
    ids: done.map(({ claim }) => claim.id),
    claimNos: done.map(({ claim }) => claim.claimNo),
    outputs: done.some(({ output }) => output !== null) ? done.map(({ output }) => output) : WITHOUT_OUTPUTS,
  };
}
