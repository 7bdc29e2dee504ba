import type { SettleAndClaimParams, SettleAndClaimRow } from '../sql/generated/statements.gen.js';
import { settleAndClaim } from '../sql/generated/statements.gen.js';
import type { Claim } from '../worker/claim.js';
import { Cycle } from '../worker/cycle.js';
import { Lanes } from '../worker/lanes.js';
import { Slots } from '../worker/slots.js';
import { HandClock, turns } from './hand-clock.js';
import { claimOf } from './scripted-claims.js';
import { ScriptedDatabase, type Call } from './scripted-database.js';

/** A cycle of one queue, and what it tells. */
export class CycleStage {
  readonly database = new ScriptedDatabase();
  readonly clock = new HandClock();
  readonly lanes = new Lanes(1);
  readonly slots: Slots;
  readonly claimed: Claim[] = [];
  readonly told: string[] = [];
  /** Claims that wait for their answer, when others were handed on. */
  underWayAtClaims = 0;
  workerId: string | null = '7';
  hasPeers = false;
  readonly cycle: Cycle;

  constructor({ concurrency = 10, prefetch = 500 } = {}) {
    this.slots = new Slots({ index: 0, queue: 'default', concurrency, prefetch });
    this.cycle = new Cycle({
      database: this.database,
      clock: this.clock,
      lanes: this.lanes,
      slots: [this.slots],
      claimant: () => this.workerId,
      hasPeers: () => this.hasPeers,
      parked: () => [['default', 'rare']],
      onReport: ({ dead }) => this.#tell('dead', dead === null ? [] : [dead]),
      onClaims: (claims) => {
        this.underWayAtClaims = this.database.waiting(settleAndClaim);
        this.claimed.push(...claims);
        this.slots.running += claims.length;
      },
      onSettled: ({ id }) => this.#tell('settled', [id]),
      onMissed: (done, doubt) =>
        this.#tell(
          doubt ? 'doubtful' : 'missed',
          done.map(({ claim }) => claim.id),
        ),
      onUnknownClaim: (workerId) => this.#tell('unknown claim of', [workerId]),
      onError: (error) => this.#tell('error', [(error as Error).message.slice(0, 20)]),
      onIdle: () => this.#tell('idle', ['']),
    });
  }

  #tell(what: string, about: readonly string[]): void {
    if (about.length > 0) this.told.push(`${what} ${about.join(' ')}`.trim());
  }

  async stir(): Promise<void> {
    this.cycle.stir();
    await turns();
  }

  async complete(...ids: string[]): Promise<void> {
    for (const id of ids) this.cycle.complete({ claim: claimOf({ id }), output: null });
    await turns();
  }

  take(): Call<SettleAndClaimParams, SettleAndClaimRow> {
    return this.database.take(settleAndClaim);
  }
}

export const ids = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, n) => String(from + n));
