import type { Database } from '../../db/executor.js';
import { deferred } from '../../runtime/deferred.js';
import type { SettleAndClaimRow } from '../../sql/generated/statements.gen.js';
import { settleAndClaim } from '../../sql/generated/statements.gen.js';
import type { Claim } from '../../worker/claim.js';
import { readAnswer } from '../../worker/claim.js';
import type { Ledger } from './ledger.js';
import type { SimulatedProcess } from './process.js';

class RolledBack extends Error {}

/** A claim whose commit is late, or never comes. Meanwhile its rows are locked, and look unclaimed. */
export class OpenClaim {
  readonly #process: SimulatedProcess;
  readonly #ledger: Ledger;
  readonly #claimedFor: string;
  readonly #ending = deferred();
  #committed: Promise<void> | undefined;
  #claims: Claim[] = [];
  /** Steps until it ends. */
  patience: number;

  constructor(process: SimulatedProcess, ledger: Ledger, patience: number) {
    this.#process = process;
    this.#ledger = ledger;
    this.#claimedFor = process.workerId;
    this.patience = patience;
  }

  async begin(database: Database, slots: number): Promise<void> {
    const request = this.#process.claimRequest({ done: [], slots });
    const claimed = deferred<SettleAndClaimRow[]>();
    this.#committed = database.transaction(async (tx) => {
      claimed.resolve(await tx.run(settleAndClaim, request));
      await this.#ending.promise;
    });
    this.#committed.catch((error: unknown) => claimed.reject(error));
    this.#claims = readAnswer(await claimed.promise).claims;
    for (const claim of this.#claims) this.#ledger.claim(claim, this.#claimedFor, { transaction: this });
  }

  async commit(): Promise<void> {
    this.#ending.resolve();
    await this.#committed;
    // After a crash, or under a new worker id, nobody is left to hear of them.
    const heard = this.#process.workerId === this.#claimedFor;
    for (const claim of this.#claims) {
      this.#ledger.unlock(claim.id);
      this.#ledger.claim(claim, this.#claimedFor, { heard });
    }
    if (heard) this.#process.take(this.#claims);
  }

  async rollBack(): Promise<void> {
    this.#ending.reject(new RolledBack());
    await this.#committed?.catch((error: unknown) => {
      if (!(error instanceof RolledBack)) throw error;
    });
    for (const { id } of this.#claims) this.#ledger.unlock(id);
  }
}
