import { hasCode } from '../../job/errors.js';
import type { Fact } from '../../job/fact.js';
import { encodeFact, parked } from '../../job/fact.js';
import { deferred } from '../../runtime/deferred.js';
import type { SettleAndClaimParams } from '../../sql/generated/statements.gen.js';
import {
  claimNamed,
  endWorker,
  lookUpClaims,
  registerWorker,
  settleAndClaim,
  settleFacts,
  takeOverClaims,
} from '../../sql/generated/statements.gen.js';
import type { Claim } from '../../worker/claim.js';
import { fenceOf, fencesOf, readAnswer, readNamed } from '../../worker/claim.js';
import { Pass } from '../../worker/pass.js';
import { StoppedClock } from './stopped-clock.js';
import { MovingLanes } from './moving-lanes.js';
import type { WatchedExecutor } from './watched-executor.js';
import { allKinds, queues } from './world.js';

const queueIndexes = [...queues.keys()];

/** What a crash leaves behind: claims whose late settles may still arrive. */
export interface Zombie {
  readonly workerId: string;
  readonly claims: readonly Claim[];
}

export interface CycleRequest {
  readonly done: readonly Claim[];
  readonly slots: number;
}

/** A worker process: its memory (heads, floors, claims) and the engine's own code for lanes and passes. */
export class SimulatedProcess {
  readonly name: string;
  readonly kinds: readonly string[];
  readonly #executor: WatchedExecutor;
  readonly #clock = new StoppedClock();
  lanes = new MovingLanes(queues.length);
  #pass: Pass;
  #answered = deferred();
  claims: Claim[] = [];
  /** Settled, but whether that took effect is not known. */
  doubts: Claim[] = [];
  workerId = '';

  constructor(name: string, kinds: readonly string[], executor: WatchedExecutor) {
    this.name = name;
    this.kinds = kinds;
    this.#executor = executor;
    this.#pass = this.#newPass();
  }

  /** Starts under a new worker id, and with nothing in mind. */
  async boot(): Promise<void> {
    await this.#pass.stop();
    this.lanes = new MovingLanes(queues.length);
    this.#clock.fire();
    this.#pass = this.#newPass();
    this.#pass.start();
    this.claims = [];
    this.doubts = [];
    await this.#register();
  }

  crash(): Zombie {
    const zombie = { workerId: this.workerId, claims: [...this.claims, ...this.doubts] };
    this.claims = [];
    this.doubts = [];
    return zombie;
  }

  /** Goes on under another worker id, with the claims that it knows of. */
  async followUp(): Promise<void> {
    const ended = this.workerId;
    await this.#register();
    const known = [...this.claims, ...this.doubts];
    await this.#executor.run(takeOverClaims, {
      ...fencesOf(known),
      fromWorkerId: ended,
      toWorkerId: this.workerId,
    });
    await this.#executor.run(endWorker, { workerId: ended, swept: false, unstarted: true });
  }

  /** One pass, after which the next claim looks from the floors on. */
  async pass(): Promise<void> {
    this.#answered = deferred();
    this.#clock.fire();
    await this.#answered.promise;
    this.lanes.lowerAllOnce();
    while (this.#clock.pending === 0) await Promise.resolve();
  }

  async stop(): Promise<void> {
    await this.#pass.stop();
  }

  /** Settles what is done and claims, in one statement. @returns what was claimed */
  async cycle({ done, slots }: CycleRequest): Promise<Claim[]> {
    try {
      const request = this.claimRequest({ done, slots });
      const { missed, claims } = readAnswer(await this.#executor.run(settleAndClaim, request));
      // What moved is settled by id, later; the others are over.
      this.#forget(done.filter((claim) => !missed.includes(fenceOf(claim))));
      return this.take(claims);
    } catch (error) {
      if (!hasCode(error, 'OUTCOME_UNKNOWN')) throw error;
      this.#doubt(done);
      if (slots > 0) await this.followUp();
      return [];
    }
  }

  /** Claims the one job that a ring named. */
  async claimNamed(queue: string, id: string): Promise<Claim[]> {
    try {
      const rows = await this.#executor.run(claimNamed, { workerId: this.workerId, queue, id });
      return this.take(readNamed(rows).claims);
    } catch (error) {
      if (!hasCode(error, 'OUTCOME_UNKNOWN')) throw error;
      await this.followUp();
      return [];
    }
  }

  claimRequest({ done, slots }: CycleRequest): SettleAndClaimParams {
    const starts = this.lanes.startsOf(queueIndexes);
    const pairs = slots === 0 ? [] : this.#pass.parked;
    return {
      tids: done.map(({ tid }) => tid),
      ...fencesOf(done),
      outputs: null,
      workerId: this.workerId,
      queues: slots === 0 ? [] : queues,
      slots: slots === 0 ? [] : queues.map(() => slots),
      headRunAts: starts.runAts,
      headIds: starts.ids,
      parkedQueues: pairs.map(([queue]) => queue),
      parkedKinds: pairs.map(([, kind]) => kind),
    };
  }

  /** Remembers claims, and moves the heads. */
  take(claimed: Claim[]): Claim[] {
    for (const claim of claimed) {
      const queue = queues.findIndex((name) => name === claim.queue);
      if (!claim.parked) this.lanes.advance(queue, claim.priority, claim);
    }
    this.claims.push(...claimed);
    return claimed;
  }

  mayRun(claim: Claim): boolean {
    return this.kinds.includes(claim.kind) && !this.#pass.pausedKinds.has(claim.kind);
  }

  /** Claims of kinds that may not run here go back, parked. */
  async park(): Promise<void> {
    await this.settle(
      this.claims.filter((claim) => !this.mayRun(claim)),
      () => parked,
    );
  }

  async settle(claims: readonly Claim[], factFor: (claim: Claim) => Fact): Promise<void> {
    if (claims.length === 0) return;
    try {
      const facts = claims.map((claim) => encodeFact(factFor(claim)));
      const rows = await this.#executor.run(settleFacts, { ...fencesOf(claims), facts });
      const open = new Set(rows.filter(({ answer }) => answer === 'locked').map(({ id }) => id));
      this.#forget(claims.filter(({ id }) => !open.has(id)));
    } catch (error) {
      if (!hasCode(error, 'OUTCOME_UNKNOWN')) throw error;
      this.#doubt(claims);
    }
  }

  /** Looks what became of the settles whose answers were dropped. */
  async lookUp(): Promise<void> {
    const doubts = this.doubts;
    if (doubts.length === 0) return;
    const claimedAts = doubts.map(({ claimedAt }) => claimedAt);
    const rows = await this.#executor.run(lookUpClaims, { ...fencesOf(doubts), claimedAts });
    const held = new Set(rows.filter(({ found }) => found === 'held').map(({ id }) => id));
    this.doubts = [];
    this.claims.push(...doubts.filter(({ id }) => held.has(id)));
  }

  #doubt(claims: readonly Claim[]): void {
    this.#forget(claims);
    this.doubts.push(...claims);
  }

  #forget(claims: readonly Claim[]): void {
    this.claims = this.claims.filter((claim) => !claims.includes(claim));
  }

  async #register(): Promise<void> {
    const incarnation = {
      leaseMs: 86_400_000,
      pid: 1,
      host: this.name,
      version: 'model',
      queues,
      kinds: this.kinds,
    };
    const [row] = await this.#executor.run(registerWorker, incarnation);
    this.workerId = row?.workerId ?? '';
  }

  #newPass(): Pass {
    return new Pass({
      database: this.#executor,
      clock: this.#clock,
      lanes: this.lanes,
      queues,
      kinds: this.kinds,
      everyMs: 250,
      onAnswer: () => this.#answered.resolve(),
      onError: (error) => this.#answered.reject(error),
    });
  }
}

export function servesAll(process: SimulatedProcess): boolean {
  return process.kinds.length === allKinds.length;
}
