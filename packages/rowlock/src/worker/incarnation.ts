import { hostname } from 'node:os';
import { isDenied, namingDenial } from '../db/errors.js';
import type { Executor } from '../db/executor.js';
import type { KindSettings } from '../job/kind.js';
import { deferred, type Deferred } from '../runtime/deferred.js';
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

/**
 * Why a worker id is over. `unknown claim`: a claim of it was cut off; its lease goes on. `lost`: marked dead, or unknown to
 * the server that answers now.
 */
export type EndCause = 'unknown claim' | 'lost';

/** What is known of a worker id at the stop of its process. */
export interface SignOff {
  /** It surely holds nothing, so nobody needs to sweep for it. */
  readonly swept: boolean;
  /** What it still holds never began. */
  readonly unstarted: boolean;
}

interface Ending {
  readonly workerId: string;
  /** Claims under way are waited for, until then. */
  readonly hurry: Deferred<void>;
  waits: boolean;
  /** What was registered to follow it is not known to the server that answers now. */
  registersAgain: boolean;
}

interface Registration {
  readonly workerId: string;
  /** When its statement was sent: its lease counts from then. */
  readonly sentAt: number;
}

const rightsOfWorker = {
  to: 'work',
  remedy: 'As the owner of the schema, run `npx rowlock migrate --grant ROLE`',
};

/**
 * This process as a registered worker. A worker id ends when it was marked dead, when a claim under it has an unknown
 * outcome, or when another server answers: a new id follows, takes along the claims this process knows of, and the old
 * one is marked dead, so that rescue gives back whatever else it holds. That never began here.
 */
export class Incarnation {
  readonly #options: IncarnationOptions;
  readonly #stopped = new AbortController();
  #workerId: string | null = null;
  /** Registered and not marked dead by this process. */
  readonly #alive = new Set<string>();
  #ending: Ending | null = null;
  /** Registration or succession under way. */
  #changing: Promise<void> | undefined;

  constructor(options: IncarnationOptions) {
    this.#options = options;
  }

  /** Null while there is none: nothing may be claimed. */
  get workerId(): string | null {
    return this.#workerId;
  }

  /** Whether what was claimed for this id is its own, or will be taken along: otherwise others may have it already. */
  keeps(workerId: string | null): boolean {
    if (workerId === this.#ending?.workerId) return this.#ending.waits;
    return workerId !== null && workerId === this.#workerId;
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
  end(workerId: string, cause: EndCause): void {
    if (this.#stopped.signal.aborted) return;
    if (workerId === this.#ending?.workerId && cause === 'lost') this.#ending.hurry.resolve();
    if (workerId !== this.#workerId) return;
    this.#workerId = null;
    const ending = { workerId, hurry: deferred(), waits: cause !== 'lost', registersAgain: false };
    this.#ending = ending;
    this.#changing = this.#follow(ending).catch((error: unknown) => {
      if (!this.#stopped.signal.aborted) this.#options.onError(error);
    });
  }

  /** Another server answers: it may know neither the present id nor the one that is to follow. */
  anotherServer(): void {
    if (this.#ending !== null) {
      this.#ending.registersAgain = true;
      this.#ending.hurry.resolve();
    }
    if (this.#workerId !== null) this.end(this.#workerId, 'lost');
  }

  /** Marks what this process was registered as dead, were it in the middle of a succession. @throws the first failure */
  async stop({ swept, unstarted }: SignOff): Promise<void> {
    this.#stopped.abort();
    this.#ending?.hurry.resolve();
    await this.#changing;
    const present = this.#workerId;
    this.#workerId = null;
    const marks = [...this.#alive].map((workerId) =>
      this.#mark(workerId, { swept: swept && workerId === present, unstarted }),
    );
    const failed = (await Promise.allSettled(marks)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }

  async #follow(ending: Ending): Promise<void> {
    await this.#claimsAnswered(ending);
    let next = await this.#register();
    const before = [ending.workerId];
    await this.#retried(async () => {
      if (ending.registersAgain || this.#isOld(next)) {
        ending.registersAgain = false;
        before.push(next.workerId);
        next = await this.#register();
      }
      for (const workerId of before) await this.#takeOver(workerId, next.workerId);
    });
    this.#options.keeper.adopt(next.workerId, next.sentAt);
    this.#ending = null;
    this.#workerId = next.workerId;
    this.#options.onRegistered(next.workerId);
  }

  /** Nobody renews it yet, and others may soon take it for dead. */
  #isOld({ sentAt }: Registration): boolean {
    return this.#options.clock.now() - sentAt > this.#options.leaseMs / 2;
  }

  async #takeOver(fromWorkerId: string, toWorkerId: string): Promise<void> {
    const { database, held } = this.#options;
    await database.run(takeOverClaims, { ...fencesOf([...held()]), fromWorkerId, toWorkerId });
    await this.#mark(fromWorkerId, { swept: false, unstarted: true });
  }

  /** What they bring is taken along: left behind, it would be given back job by job, and rescue would be there first. */
  async #claimsAnswered(ending: Ending): Promise<void> {
    if (ending.waits) await Promise.race([this.#options.claimsAnswered(), ending.hurry.promise]);
    ending.waits = false;
  }

  async #mark(workerId: string, signOff: SignOff): Promise<void> {
    await this.#options.database.run(endWorker, { workerId, ...signOff });
    this.#alive.delete(workerId);
  }

  #register(mayPass?: (error: unknown) => boolean): Promise<Registration> {
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
      this.#alive.add(row.workerId);
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
