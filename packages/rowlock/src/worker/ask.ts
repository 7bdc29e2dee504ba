import type { SettleAndClaimParams } from '../sql/generated/statements.gen.js';
import type { SettleParams } from './done.js';
import type { Lanes } from './lanes.js';
import type { Slots } from './slots.js';

/** What a claim asks for one queue. */
export interface Ask {
  readonly slots: Slots;
  readonly count: number;
  /** Of the queue, when the claim was sent. */
  readonly wakes: number;
}

/** The one job that a ring named. */
export interface Named {
  readonly queue: string;
  readonly id: string;
  /** Microseconds: from where its lane is looked through if the claim fails. */
  readonly runAt: number;
}

type ClaimParams = Omit<SettleAndClaimParams, keyof SettleParams | 'workerId'>;
type Parked = readonly (readonly [queue: string, kind: string])[];

/** What `settle_and_claim` is to claim, from the heads on or from where a ring or a pass lowered them to. */
export function claimsOf(asks: readonly Ask[], lanes: Lanes, parkedNow: () => Parked): ClaimParams {
  const starts = lanes.startsOf(asks.map(({ slots }) => slots.index));
  const parked = asks.length === 0 ? [] : parkedNow();
  return {
    queues: asks.map(({ slots }) => slots.queue),
    slots: asks.map(({ count }) => count),
    headRunAts: starts.runAts,
    headIds: starts.ids,
    parkedQueues: parked.map(([queue]) => queue),
    parkedKinds: parked.map(([, kind]) => kind),
  };
}
