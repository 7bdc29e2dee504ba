import { isTransient } from '../db/errors.js';
import type { Executor } from '../db/executor.js';
import { hasCode } from '../job/errors.js';
import { cappedPauses } from '../runtime/retry.js';
import type { Clock, Timer } from '../runtime/clock.js';
import { UnderWay } from '../runtime/under-way.js';
import { claimNamed, settleAndClaim } from '../sql/generated/statements.gen.js';
import type { SettleAndClaimParams } from '../sql/generated/statements.gen.js';
import type { Ask, Named } from './ask.js';
import { claimsOf } from './ask.js';
import type { Answer, Claim } from './claim.js';
import { fenceOf, readAnswer, readNamed } from './claim.js';
import type { Done } from './done.js';
import { settlesOf, takeBatch } from './done.js';
import { FailureRun } from './failure-run.js';
import type { Lanes } from './lanes.js';
import type { Reading } from './server-clock.js';
import type { Sent, ToSend } from './sent.js';
import type { Slots } from './slots.js';

/** What the database said of itself, and of the worker id that claimed. */
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
  /** Other workers claim too, as far as is known. */
  readonly hasPeers: () => boolean;
  readonly parked: () => readonly (readonly [queue: string, kind: string])[];
  readonly onReport: (report: Report) => void;
  readonly onClaims: (claims: Claim[], workerId: string | null) => void;
  readonly onSettled: (claim: Claim) => void;
  /** These were not where they had been: settle them by id. `doubt`: their statement was cut off. */
  readonly onMissed: (done: readonly Done[], doubt: boolean) => void;
  /** A claim was cut off: jobs may be claimed that nobody here knows of. */
  readonly onUnknownClaim: (workerId: string) => void;
  readonly onError: (error: unknown) => void;
  /** Claims came back short: this process is about to wait. */
  readonly onIdle: () => void;
}

/**
 * Claims under way: while one is worked on here the server has the other. More would scan past each other's rows, hence
 * one only where other workers claim as well. Claims that settle too take longer and meet more often, hence a full batch
 * settles in a statement of its own.
 */
const maxClaims = 2;
/** Batches of settles under way: a second one only where a claim less is. */
const maxSettles = 2;
/** Rows that make a second claim worth while. */
const minSecondClaim = 50;
/** Settles that go along with a claim. More wait until they fill a batch, or for so many ms. */
const maxFused = 50;
const fullBatch = 500;
const maxSettleWaitMs = 5;
const maxBatch = 4000;
/** Done here and not yet on its way to the database. A crash would have it all run again: beyond this, claims wait. */
const maxUnsent = 2 * maxBatch;

/** The hot path: settles what is done and claims what may follow, in one statement or, where much is done, two. */
export class Cycle {
  readonly #options: CycleOptions;
  #done: Done[] = [];
  #doneSince = 0;
  readonly #claims = new UnderWay();
  readonly #settles = new UnderWay();
  #stirred = false;
  #stopped = false;
  #timer: Timer | undefined;
  #pausedUntil = 0;
  readonly #failures = new FailureRun();
  readonly #pauses = cappedPauses({ base: 20 });

  constructor(options: CycleOptions) {
    this.#options = options;
  }

  /** Claims fail one after another, and not for want of a connection. */
  get claimsFail(): boolean {
    return this.#failures.isLong;
  }

  get underWay(): number {
    return this.#claims.count + this.#settles.count;
  }

  /** Resolves when no claim is under way. */
  claimsAnswered(): Promise<void> {
    return this.#claims.none();
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

  /** Claims the job that a ring named. False, and nothing done, with no free slot or with anything else to do. */
  claimNamed(slots: Slots, named: Named): boolean {
    const now = this.#options.clock.now();
    if (this.#stopped || now < this.#pausedUntil || this.#options.claimant() === null) return false;
    const isEager = this.#options.slots.some(({ eager }) => eager);
    if (isEager || this.underWay > 0 || this.#done.length > 0 || !slots.free) return false;
    void this.#send({ hungry: [slots], settles: 0, named }, now);
    return true;
  }

  /** Opens the sessions a burst needs, each with its plan, so that the first jobs do not wait for it. */
  async warmUp(): Promise<void> {
    const { database } = this.#options;
    const sessions = Array.from({ length: maxClaims + 1 });
    const params = this.#paramsOf([], [], null);
    await Promise.allSettled(sessions.map(() => database.run(settleAndClaim, params)));
    const noJob = { workerId: nobody, queue: '', id: '0' };
    await Promise.allSettled(sessions.map(() => database.run(claimNamed, noJob)));
  }

  /** What is not settled by now is left to rescue: a database that stays away must not keep the process. */
  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  #pump(): void {
    if (this.#stopped) return;
    const now = this.#options.clock.now();
    if (now < this.#pausedUntil) return this.#stirLater(this.#pausedUntil - now);
    for (let next = this.#next(now); next !== undefined; next = this.#next(now)) void this.#send(next, now);
    if (this.#done.length > 0 && this.#settles.count === 0) this.#stirLater(maxSettleWaitMs);
  }

  /** What to send now, if anything: a claim, with the settles there are unless they are many, or a batch of settles. */
  #next(now: number): ToSend | undefined {
    const hungry = this.#hungry(now);
    if (hungry.length > 0) return { hungry, settles: this.#done.length > maxFused ? 0 : this.#done.length };
    return this.#settlesDue(now) ? { hungry, settles: maxBatch } : undefined;
  }

  /** The queues to claim for now. */
  #hungry(now: number): Slots[] {
    const inTheWay = this.#claims.count + Math.max(0, this.#settles.count - 1);
    if (inTheWay >= this.#mostClaims || this.#done.length >= maxUnsent) return [];
    if (this.#options.claimant() === null) return [];
    const hungry = this.#options.slots.filter((slots) => slots.eager && slots.wanted(now) > 0);
    const isWorthWhile = hungry.some(
      (slots) => slots.wanted(now) >= (slots.asked === 0 ? slots.concurrency / 2 : minSecondClaim),
    );
    return isWorthWhile || this.underWay === 0 ? hungry : [];
  }

  get #mostClaims(): number {
    return this.#options.hasPeers() ? 1 : maxClaims;
  }

  #settlesDue(now: number): boolean {
    if (this.#done.length === 0) return false;
    const isFull = this.#done.length >= fullBatch;
    if (this.#settles.count > 0)
      return isFull && this.#settles.count < maxSettles && this.#claims.count < this.#mostClaims;
    return isFull || this.underWay === 0 || now - this.#doneSince >= maxSettleWaitMs;
  }

  #stirLater(ms: number): void {
    this.#timer?.cancel();
    this.#timer = this.#options.clock.after(ms, () => this.stir());
  }

  async #send({ hungry, settles, named }: ToSend, now: number): Promise<void> {
    const done = takeBatch(this.#done, settles);
    const claiming = hungry.length > 0;
    const workerId = claiming ? this.#options.claimant() : null;
    const most = named === undefined ? Infinity : 1;
    const asks = hungry.map((slots) => ({ slots, count: slots.ask(now, most), wakes: slots.wakes }));
    const sent = { done, asks, named, workerId, sentAt: now };
    const end = (claiming ? this.#claims : this.#settles).begin();
    const { database } = this.#options;
    let answer: Answer | undefined;
    try {
      answer =
        named === undefined
          ? readAnswer(await database.run(settleAndClaim, this.#paramsOf(done, asks, workerId)))
          : readNamed(await database.run(claimNamed, { ...named, workerId: workerId ?? nobody }));
    } catch (error) {
      this.#fail(error, sent);
    }
    end();
    if (answer !== undefined) this.#take(answer, sent);
    for (const { slots, count } of asks) slots.asked -= count;
    this.stir();
  }

  #take(answer: Answer, sent: Sent): void {
    this.#pauses.reset();
    if (sent.asks.length > 0) this.#failures.end();
    this.#settled(answer, sent);
    this.#note(answer.claims, sent);
    // Before the handlers start: thousands of them may be done before this process comes back to the database.
    this.#pump();
    this.#handOn(answer.claims, sent);
  }

  #paramsOf(done: readonly Done[], asks: readonly Ask[], workerId: string | null): SettleAndClaimParams {
    const { lanes, parked } = this.#options;
    return { ...settlesOf(done), ...claimsOf(asks, lanes, parked), workerId: workerId ?? nobody };
  }

  #settled({ mayClaim, clock, startedAt, missed }: Answer, { done, workerId, sentAt }: Sent): void {
    this.#options.onReport({ dead: mayClaim ? null : workerId, clock, startedAt, sentAt });
    if (missed.length === 0) {
      for (const { claim } of done) this.#options.onSettled(claim);
      return;
    }
    const elsewhere = new Set(missed);
    const isMissed = ({ claim }: Done): boolean => elsewhere.has(fenceOf(claim));
    for (const each of done) if (!isMissed(each)) this.#options.onSettled(each.claim);
    this.#options.onMissed(done.filter(isMissed), false);
  }

  /** What a claim says of its queues. One that got less than it asked for has, as far as this claim saw, no more. */
  #note(claims: readonly Claim[], { asks }: Sent): void {
    const byQueue = new Map(asks.map((ask) => [ask.slots.queue, { ...ask, taken: 0, characters: 0 }]));
    for (const claim of claims) {
      const queue = byQueue.get(claim.queue);
      if (queue === undefined) continue;
      queue.taken += 1;
      queue.characters += claim.size;
      if (!claim.parked) this.#options.lanes.advance(queue.slots.index, claim.priority, claim);
    }
    for (const { slots, count, wakes, taken, characters } of byQueue.values()) {
      slots.answered({ asked: count, jobs: taken, characters });
      if (taken < count) slots.fellShort(wakes);
    }
  }

  #handOn(claims: Claim[], { asks, workerId }: Sent): void {
    if (claims.length > 0) this.#options.onClaims(claims, workerId);
    if (asks.length > 0 && this.#options.slots.every((slots) => !slots.eager)) this.#options.onIdle();
  }

  #fail(error: unknown, { done, asks, named, workerId, sentAt }: Sent): void {
    const doubt = hasCode(error, 'OUTCOME_UNKNOWN');
    // What surely did not happen, for want of a connection or of a lock, is simply tried again. For a lock once each: two
    // that make room in the history at the same time wait for each other, but somebody may also hold a row for long.
    const isAway = hasCode(error, 'CONNECTION');
    const isLockedOut = isTransient(error);
    const isOver = (each: Done): boolean => !isAway && (!isLockedOut || each.lockedOut === true);
    const over = done.filter(isOver);
    const again = done.filter((each) => !isOver(each));
    if (isLockedOut) for (const each of again) each.lockedOut = true;
    this.#done.unshift(...again);
    if (over.length > 0) this.#options.onMissed(over, doubt);
    // Not with settles, unless it was cut off: one of them may have been refused.
    const isOfClaims = asks.length > 0 && (doubt || (done.length === 0 && !isAway));
    if (isOfClaims) this.#failures.failed(sentAt, this.#options.clock.now());
    // It may have been too much to answer.
    if (isOfClaims && !isLockedOut && named === undefined)
      for (const { slots, count } of asks) slots.shrink(count);
    this.#askAgain(asks, named);
    if (doubt && workerId !== null) this.#options.onUnknownClaim(workerId);
    this.#pausedUntil = this.#options.clock.now() + this.#pauses.next();
    this.#options.onError(error);
  }

  #askAgain(asks: readonly Ask[], named: Named | undefined): void {
    for (const { slots } of asks) {
      if (named !== undefined) this.#options.lanes.lowerOnce(slots.index, named.runAt);
      slots.wake();
    }
  }
}

/** No worker has this id. */
const nobody = '0';
