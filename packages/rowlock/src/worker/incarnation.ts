import { hostname } from 'node:os';
import { isDenied, namingDenial } from '../db/errors.js';
import type { Executor } from '../db/executor.js';
import type { KindSettings } from '../job/kind.js';
import { retryForever } from '../runtime/retry.js';
import type { Clock } from '../runtime/clock.js';
import { defineKinds, endWorker, registerWorker, takeOverClaims } from '../sql/generated/statements.gen.js';
import type { LeaseKeeper } from '../wake/lease-keeper.js';
import { version } from '../version.js';
import type { Claim } from './claim.js';
import { fencesOf } from './claim.js';

export interface IncarnationOptions {
  readonly database: Executor;
  readonly keeper: LeaseKeeper;
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly queues: readonly string[];
  readonly kinds: readonly KindSettings[];
  /** Claims of this process that are not settled yet. */
  readonly held: () => Iterable<Claim>;
  /** Resolves when no claim is under way that may have been sent for an id before. */
  readonly claimsAnswered: () => Promise<void>;
  readonly onRegistered: (workerId: string) => void;
  readonly onError: (error: unknown) => void;
}

const rightsOfWorker = {
  to: 'work',
  remedy: 'As the owner of the schema, run `npx rowlock migrate --grant ROLE`',
};

/**
 * This process as a registered worker. A worker id ends when it was marked dead, when a claim under it has an unknown
 * outcome, or when another server answers: a new id follows, takes along the claims this process knows of, and the old
 * one is marked dead, so that rescue gives back whatever else it holds.
 */
export class Incarnation {
  readonly #options: IncarnationOptions;
  readonly #stopped = new AbortController();
  #workerId: string | null = null;
  /** Ended, its claims not yet taken along. */
  #ending: string | null = null;
  /** Registration or succession under way. */
  #changing: Promise<void> | undefined;

  constructor(options: IncarnationOptions) {
    this.#options = options;
  }

  /** Null while there is none: nothing may be claimed. */
  get workerId(): string | null {
    return this.#workerId;
  }

  /** Whether what was claimed for this id is, or will be, held by this process. */
  keeps(workerId: string | null): boolean {
    return workerId !== null && (workerId === this.#workerId || workerId === this.#ending);
  }

  /** Registers, however long the database stays away. @throws NotAllowedError: rights do not come back by themselves */
  async begin(): Promise<void> {
    const beginning = namingDenial(rightsOfWorker, () => this.#begin());
    this.#changing = beginning.catch(() => undefined);
    await beginning;
  }

  async #begin(): Promise<void> {
    const { keeper } = this.#options;
    const { workerId, sentAt } = await this.#register((error) => !isDenied(error));
    keeper.start(workerId, sentAt);
    this.#workerId = workerId;
    this.#options.onRegistered(workerId);
  }

  /** Ends this worker id, if it is still the present one, and follows it by another. */
  end(workerId: string): void {
    if (this.#workerId !== workerId || this.#stopped.signal.aborted) return;
    this.#workerId = null;
    this.#ending = workerId;
    this.#changing = this.#follow(workerId).catch((error: unknown) => {
      if (!this.#stopped.signal.aborted) this.#options.onError(error);
    });
  }

  /** @param holdsNothing every claim of it is settled, so nobody needs to sweep for it */
  async stop(holdsNothing: boolean): Promise<void> {
    this.#stopped.abort();
    await this.#changing;
    const workerId = this.#workerId;
    this.#workerId = null;
    if (workerId !== null)
      await this.#options.database.run(endWorker, { workerId, swept: holdsNothing, unstarted: false });
  }

  async #follow(ended: string): Promise<void> {
    const { database, keeper, held, claimsAnswered } = this.#options;
    const { workerId, sentAt } = await this.#register();
    // What they bring is taken along. Left behind, it would be given back job by job, and rescue would be there first.
    await claimsAnswered();
    await this.#retried(async () => {
      const fences = fencesOf([...held()]);
      await database.run(takeOverClaims, { ...fences, fromWorkerId: ended, toWorkerId: workerId });
      await database.run(endWorker, { workerId: ended, swept: false, unstarted: true });
    });
    keeper.adopt(workerId, sentAt);
    this.#ending = null;
    this.#workerId = workerId;
    this.#options.onRegistered(workerId);
  }

  #register(mayPass?: (error: unknown) => boolean): Promise<{ workerId: string; sentAt: number }> {
    const { database, clock, leaseMs, queues, kinds } = this.#options;
    return this.#retried(async () => {
      await database.run(defineKinds, kindParams(kinds));
      const sentAt = clock.now();
      const names = kinds.map(({ kind }) => kind);
      const [row] = await database.run(registerWorker, {
        leaseMs,
        pid: process.pid,
        host: hostname(),
        version,
        queues,
        kinds: names,
      });
      if (row === undefined) throw new TypeError('register_worker answered no row');
      return { ...row, sentAt };
    }, mayPass);
  }

  /** Unless said otherwise after every failure: a worker that has started goes on. */
  #retried<T>(work: () => Promise<T>, mayPass: (error: unknown) => boolean = () => true): Promise<T> {
    return retryForever(work, {
      signal: this.#stopped.signal,
      clock: this.#options.clock,
      onError: this.#options.onError,
      mayPass,
    });
  }
}

function kindParams(kinds: readonly KindSettings[]): Parameters<typeof defineKinds.encode>[0] {
  return {
    names: kinds.map(({ kind }) => kind),
    queues: kinds.map(({ queue }) => queue),
    priorities: kinds.map(({ priority }) => priority),
    policies: kinds.map(({ policy }) => JSON.stringify(policy)),
    keeps: kinds.map(({ keep }) => keep),
    keepArgs: kinds.map(({ keepArgs }) => keepArgs),
  };
}
