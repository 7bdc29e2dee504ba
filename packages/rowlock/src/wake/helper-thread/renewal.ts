import { messageOf } from '../../job/message.js';
import type { Clock } from '../../runtime/clock.js';
import { renewLease } from '../../sql/generated/statements.gen.js';
import type { LeaseTiming } from '../lease-keeper.js';
import type { LeaseRecord } from '../lease-record.js';
import type { FromHelper, Incarnation } from './protocol.js';
import { codeOf, type HelperSession } from './session.js';

const retryMs = 1000;

export interface RenewalOptions {
  readonly clock: Clock;
  readonly record: LeaseRecord;
  readonly timing: LeaseTiming;
  readonly incarnation: Incarnation;
  readonly post: (message: FromHelper) => void;
}

/** Renews the lease of the present incarnation whenever that is due. */
export class Renewal {
  readonly #options: RenewalOptions;
  #incarnation: Incarnation;
  #nextAt = -Infinity;
  #underWay = false;
  #dead = false;

  constructor(options: RenewalOptions) {
    this.#options = options;
    this.#incarnation = options.incarnation;
  }

  adopt(incarnation: Incarnation): void {
    this.#incarnation = incarnation;
    this.#dead = false;
    this.#nextAt = -Infinity;
  }

  /** After a pause nobody knows how much of the lease is left. */
  hurry(): void {
    this.#nextAt = -Infinity;
  }

  isDue(now: number): boolean {
    return !this.#dead && !this.#underWay && now >= this.#nextAt;
  }

  /** @returns whether the server acknowledged it. Never rejects. */
  async renew(session: HelperSession): Promise<boolean> {
    this.#underWay = true;
    const incarnation = this.#incarnation;
    const { clock, timing, post } = this.#options;
    this.#nextAt = clock.now() + timing.renewEveryMs;
    try {
      await this.#send(session, incarnation);
      return true;
    } catch (error) {
      this.#nextAt = clock.now() + Math.min(retryMs, timing.renewEveryMs / 2);
      // A broken connection is reported once, by whoever dials the next one.
      if (!session.signal.aborted) post(lostBecause(error));
      return false;
    } finally {
      this.#underWay = false;
    }
  }

  async #send(session: HelperSession, incarnation: Incarnation): Promise<void> {
    const { clock, record, timing, post } = this.#options;
    let sentAt = -Infinity;
    const [renewed] = await session.inTurn((run) => {
      sentAt = clock.now();
      return run(renewLease, { workerId: incarnation.workerId, leaseMs: timing.leaseMs });
    });
    if (renewed !== undefined) {
      record.acknowledge(incarnation.generation, sentAt);
      post({ type: 'renewed', peers: { count: renewed.peers, rank: renewed.rank } });
      return;
    }
    if (incarnation.generation === this.#incarnation.generation) this.#dead = true;
    post({ type: 'dead', workerId: incarnation.workerId });
  }
}

export function lostBecause(error: unknown): FromHelper {
  const code = codeOf(error);
  return { type: 'lost', message: messageOf(error), ...(code !== undefined && { code }) };
}
