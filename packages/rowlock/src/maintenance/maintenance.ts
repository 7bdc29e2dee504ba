import type { Executor } from '../db/executor.js';
import type { Clock, Timer } from '../runtime/clock.js';
import type { LeaseKeeper } from '../wake/lease-keeper.js';
import { doDuties } from './duties.js';
import type { Rescued } from './rescue.js';
import { markDead, sweep } from './rescue.js';

export interface MaintenanceOptions {
  readonly database: Executor;
  readonly clock: Clock;
  readonly keeper: LeaseKeeper;
  readonly leaseMs: number;
  readonly workerId: () => string | null;
  /** The latest time that the database's clock can show unless it jumped, microseconds; null while unknown. */
  readonly latestClock: () => number | null;
  readonly onRescued: (rescued: Rescued) => void;
  readonly onError: (error: unknown) => void;
}

/** Looks for the dead this often, in ms; a fifteenth of the default lease, less where leases are shorter. */
const roundMs = 1000;

/** Marks the dead, sweeps for them and does the duties, from every worker process alike: there is no leader. */
export class Maintenance {
  readonly #options: MaintenanceOptions;
  readonly #roundMs: number;
  #timer: Timer | undefined;
  #stopped = false;
  #underWay: Promise<void> | undefined;
  #steadySince = Infinity;
  #renewedAt = -Infinity;

  constructor(options: MaintenanceOptions) {
    this.#options = options;
    this.#roundMs = Math.min(roundMs, options.leaseMs / 5);
  }

  start(): void {
    this.#schedule();
  }

  /**
   * A renewal was acknowledged. Whoever was cut off for a while must not judge others by their silence: all may have
   * been cut off alike. Only after one lease of steady contact does a process mark others dead.
   */
  renewed(): void {
    const now = this.#options.clock.now();
    if (now - this.#renewedAt > this.#options.leaseMs / 2) this.#steadySince = now;
    this.#renewedAt = now;
  }

  /** The clock jumped, or another server answers: leases may seem to have ended that have not. */
  doubt(): void {
    this.#steadySince = this.#options.clock.now();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#underWay;
  }

  #schedule(): void {
    if (this.#stopped) return;
    this.#timer = this.#options.clock.after(this.#roundMs, () => {
      this.#underWay = this.#round().finally(() => this.#schedule());
    });
    this.#timer.unref();
  }

  async #round(): Promise<void> {
    const { database, clock, leaseMs, workerId, onRescued, onError } = this.#options;
    const id = workerId();
    if (id === null) return;
    try {
      const now = clock.now();
      const steady = now - this.#renewedAt <= leaseMs / 2 && now - this.#steadySince >= leaseMs;
      const notAfter = this.#options.latestClock();
      const marked = steady && notAfter !== null ? await markDead(database, id, notAfter) : [];
      if (marked.length > 0) onRescued(await sweep(database));
      await doDuties(database, onRescued);
    } catch (error) {
      onError(error);
    }
  }
}
