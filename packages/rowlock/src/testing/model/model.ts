import type { Database } from '../../db/executor.js';
import { openDatabase } from '../../db/database.js';
import { defineKinds, pauseKind, pauseQueue } from '../../sql/generated/statements.gen.js';
import { rawStatement } from '../raw-statement.js';
import { Ledger } from './ledger.js';
import type { OpenClaim } from './open-claim.js';
import { SimulatedProcess } from './process.js';
import type { Zombie } from './process.js';
import { Producer } from './producer.js';
import { Random } from './random.js';
import { WatchedExecutor } from './watched-executor.js';
import { allKinds, commonKinds, kinds } from './world.js';

const producers = 5;
/** The one whose claims park what only the last serves; two alike compete. */
const processes = [commonKinds, commonKinds, allKinds];

/** What has happened, to show that a run was not vacuous. */
export type Counts = Record<
  | 'committed'
  | 'rolledBack'
  | 'claimed'
  | 'completed'
  | 'facts'
  | 'refused'
  | 'dropped'
  | 'crashes'
  | 'rescued'
  | 'openClaims'
  | 'claimsRolledBack'
  | 'passes'
  | 'parked'
  | 'shifts'
  | 'lateCommits',
  number
>;

/** Everything a run of the model holds: the real database, the pure ledger, and the simulated processes between them. */
export class Model {
  readonly random: Random;
  readonly ledger = new Ledger();
  readonly database: Database;
  readonly executor: WatchedExecutor;
  readonly processes: readonly SimulatedProcess[];
  producers: Producer[] = [];
  openClaims: OpenClaim[] = [];
  zombies: Zombie[] = [];
  readonly pausedKinds = new Set<string>();
  readonly counts: Counts = {
    committed: 0,
    rolledBack: 0,
    claimed: 0,
    completed: 0,
    facts: 0,
    refused: 0,
    dropped: 0,
    crashes: 0,
    rescued: 0,
    openClaims: 0,
    claimsRolledBack: 0,
    passes: 0,
    parked: 0,
    shifts: 0,
    lateCommits: 0,
  };
  readonly #url: string;

  constructor(url: string, seed: number) {
    this.#url = url;
    this.random = new Random(seed);
    this.database = openDatabase({ connectionString: url, maxConnections: 12 });
    this.executor = new WatchedExecutor(this.database, this.ledger);
    this.processes = processes.map(
      (served, n) => new SimulatedProcess(`process ${String(n)}`, served, this.executor),
    );
  }

  async start(): Promise<void> {
    await this.database.run(defineKinds, {
      names: kinds.map(({ name }) => name),
      queues: kinds.map(({ queue }) => queue),
      priorities: kinds.map(() => 5),
      policies: kinds.map(({ policy }) => JSON.stringify(policy)),
      keeps: kinds.map(({ keep }) => keep),
      keepArgs: kinds.map(({ keepArgs }) => keepArgs),
    });
    for (const process of this.processes) await process.boot();
    for (let n = 0; n < producers; n += 1)
      this.producers.push(await Producer.connect(this.#url, this.ledger));
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.openClaims.map((claim) => claim.rollBack()));
    await Promise.allSettled(this.producers.map((producer) => producer.close()));
    await Promise.allSettled(this.processes.map((process) => process.stop()));
    await this.database.close();
  }

  async pauseQueue(name: string, paused: boolean): Promise<void> {
    await this.database.run(pauseQueue, { name, paused });
    if (paused) this.ledger.pausedQueues.add(name);
    else this.ledger.pausedQueues.delete(name);
  }

  async pauseKind(name: string, paused: boolean): Promise<void> {
    await this.database.run(pauseKind, { name, paused });
    if (paused) this.pausedKinds.add(name);
    else this.pausedKinds.delete(name);
  }

  /** Moves the clock on by moving every stored instant of live things back, and what processes know of instants with it. */
  async shift(us: number): Promise<void> {
    const by = [`${(us / 1_000_000).toFixed(6)} seconds`];
    await this.database.run(shiftJobs, by);
    await this.database.run(shiftWorkers, by);
    this.ledger.shift(us);
    for (const { lanes } of this.processes) lanes.move(us);
    this.counts.shifts += 1;
  }

  /** Lets the lease of a worker end. */
  async expire(workerId: string): Promise<void> {
    await this.database.run(endLease, [workerId]);
  }

  /** In a session without our lock timeout: autovacuum may be at it. */
  async vacuum(): Promise<void> {
    const idle = this.producers.find(({ isOpen }) => !isOpen);
    await idle?.vacuum();
  }
}

const shiftJobs = rawStatement(
  'update rowlock.job set run_at = run_at - $1::interval, created_at = created_at - $1::interval, claimed_at = claimed_at - $1::interval',
);
const shiftWorkers = rawStatement(
  'update rowlock.worker set lease_until = lease_until - $1::interval, registered_at = registered_at - $1::interval',
);
// A lease of 1 ms counts as over however lately the server was started.
const endLease = rawStatement(
  "update rowlock.worker set lease_until = clock_timestamp() - interval '1 second', lease_ms = 1 where id = $1::bigint",
);
