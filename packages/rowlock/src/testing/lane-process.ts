import type { Executor } from '../db/executor.js';
import { deferred } from '../runtime/deferred.js';
import type { SettleAndClaimParams } from '../sql/generated/statements.gen.js';
import { settleAndClaim } from '../sql/generated/statements.gen.js';
import type { Claim } from '../worker/claim.js';
import { readAnswer } from '../worker/claim.js';
import { Lanes } from '../worker/lanes.js';
import { Pass } from '../worker/pass.js';
import { nothingSettled } from './claims.js';
import { StoppedClock } from './model/stopped-clock.js';
import { until } from './until.js';

const queue = 'default';

/** One worker process reduced to its lanes: it passes and claims when it is told to. */
export class LaneProcess {
  readonly lanes = new Lanes(1);
  readonly workerId: string;
  readonly #executor: Executor;
  readonly #clock = new StoppedClock();
  readonly #pass: Pass;
  #answered = deferred();

  constructor(executor: Executor, workerId: string, kinds: readonly string[] = ['plain']) {
    this.#executor = executor;
    this.workerId = workerId;
    this.#pass = new Pass({
      ...{ database: executor, clock: this.#clock, lanes: this.lanes, queues: [queue], kinds, everyMs: 250 },
      onAnswer: () => this.#answered.resolve(),
      onError: (error) => this.#answered.reject(error),
    });
    this.#pass.start();
  }

  async pass(): Promise<void> {
    await until(() => this.#clock.pending > 0);
    this.#answered = deferred();
    this.#clock.fire();
    await this.#answered.promise;
  }

  claimRequest(slots: number): SettleAndClaimParams {
    const { runAts, ids } = this.lanes.startsOf([0]);
    const parked = this.#pass.parked;
    return {
      ...nothingSettled,
      workerId: this.workerId,
      ...{ queues: [queue], slots: [slots], headRunAts: runAts, headIds: ids },
      ...{ parkedQueues: parked.map(([name]) => name), parkedKinds: parked.map(([, kind]) => kind) },
    };
  }

  /** Claims from the heads on, and moves them. */
  async claim(slots = 100): Promise<Claim[]> {
    const request = this.claimRequest(slots);
    const { claims } = readAnswer(await this.#executor.run(settleAndClaim, request));
    for (const claim of claims) if (!claim.parked) this.lanes.advance(0, claim.priority, claim);
    return claims;
  }

  claimFromFloor(slots?: number): Promise<Claim[]> {
    this.lanes.lowerAllOnce();
    return this.claim(slots);
  }

  /** The floor of the lane of priority 5. */
  get floor(): number {
    return this.lanes.floors.runAts[5] ?? 0;
  }
}
