import { AsyncResource } from 'node:async_hooks';
import { callerTransaction } from '../db/caller-transaction.js';
import type { Database, Executor } from '../db/executor.js';
import { isLoss, isStopped, isTransient } from '../db/errors.js';
import { EnqueueOverloadedError, OutcomeUnknownError } from '../job/errors.js';
import { pause, type Clock } from '../runtime/clock.js';
import { cappedPauses } from '../runtime/retry.js';
import { enqueueAlone, enqueueJobs, liftTransactionTimeout } from '../sql/generated/statements.gen.js';
import type { NewJob } from './batch.js';
import { aloneParamsOf, paramsOf } from './batch.js';
import type { TransactionOptions } from './options.js';

interface Call {
  readonly jobs: readonly NewJob[];
  readonly wake: boolean;
  readonly resolve: (ids: string[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Most rows and characters of args in one statement. */
const maxRows = 10_000;
const maxCharacters = 16 * 1_048_576;
/** A lock (of a migration, say) is waited for 100 ms a try: with the pauses about eight seconds in all, for all who wait behind it. */
const maxTries = 50;
/** Between tries that fail at once, as after a deadlock; not much longer than a lock is waited for. */
const maxPauseMs = 80;

/** Statements of nobody's: a trace of the call that happened to send them would be charged with all the others. */
const outside = AsyncResource.bind((work: () => void): void => {
  work();
});

export interface EnqueuerOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** Most jobs that may wait here. */
  readonly maxWaiting: number;
  /** Resolves once the schema is there to work with. */
  readonly schema: { ready(): Promise<void>; readyIn(tx: Executor): Promise<void> };
}

/**
 * Stores jobs, in the caller's transaction or in statements of our own. Of those one is under way at a time; calls that
 * arrive meanwhile share the next one. So the order of calls is the order of jobs, and the busier it gets, the fewer
 * commits a job costs.
 */
export class Enqueuer {
  readonly #options: EnqueuerOptions;
  #calls: Call[] = [];
  /** So many calls go one by one, since something among them was refused. */
  #alone = 0;
  #waiting = 0;
  #flushing: Promise<void> | undefined;

  constructor(options: EnqueuerOptions) {
    this.#options = options;
  }

  /** All of the jobs are stored or none. Resolves with their ids, in order. */
  async enqueue(jobs: readonly NewJob[], { tx, wake = true }: TransactionOptions): Promise<string[]> {
    if (jobs.length === 0) return [];
    const { database, schema } = this.#options;
    if (tx !== undefined) {
      const executor = callerTransaction(tx, database.schema);
      await schema.readyIn(executor);
      return storeParts(executor, jobs, wake);
    }
    await schema.ready();
    // More than one statement should hold: several in one transaction, beside the calls that share statements.
    if (!fits(jobs)) {
      return database.transaction(async (own) => {
        await own.run(liftTransactionTimeout, {});
        return storeParts(own, jobs, wake);
      });
    }
    return this.#wait(jobs, wake);
  }

  #wait(jobs: readonly NewJob[], wake: boolean): Promise<string[]> {
    // One call may be larger than the limit, which is there for those that wait.
    if (this.#waiting > 0 && this.#waiting + jobs.length > this.#options.maxWaiting) {
      throw new EnqueueOverloadedError(
        `${String(this.#waiting)} jobs already wait to be enqueued, and maxWaitingJobs is ${String(this.#options.maxWaiting)}: await earlier calls, or use enqueueMany`,
      );
    }
    return new Promise((resolve, reject) => {
      this.#calls.push({ jobs, wake, resolve, reject });
      this.#waiting += jobs.length;
      if (this.#flushing === undefined) outside(() => void (this.#flushing = this.#flush()));
    });
  }

  async #flush(): Promise<void> {
    const pauses = cappedPauses({ base: 5, cap: maxPauseMs });
    let tries = 0;
    while (this.#calls.length > 0) {
      const calls = this.#nextCalls();
      try {
        const jobs = calls.flatMap((call) => call.jobs);
        const wake = calls[0]?.wake ?? true;
        this.#answer(calls, (await this.#storeAlone(jobs, wake)) ?? (await this.#storeTogether(jobs, wake)));
        tries = 0;
        pauses.reset();
      } catch (error) {
        tries += 1;
        const transient = isTransient(error);
        if (transient && tries < maxTries) {
          await pause(this.#options.clock, pauses.next());
          this.#putBack(calls, false);
        } else if (calls.length > 1 && !transient && !isLoss(error)) this.#putBack(calls, true);
        else {
          this.#refuse(calls, error);
          tries = 0;
          pauses.reset();
        }
      }
    }
    this.#flushing = undefined;
  }

  /** One job, whose ring goes out while the disk writes. Undefined, and nothing done, where that cannot be. */
  async #storeAlone([job, ...others]: readonly NewJob[], wake: boolean): Promise<string[] | undefined> {
    if (job === undefined || others.length > 0 || !wake) return undefined;
    try {
      const rows = await this.#options.database.runAlone(enqueueAlone, aloneParamsOf(job));
      return rows && idsOf(rows);
    } catch (error) {
      if (!isStopped(error)) throw error;
      // Either of its commits may have been the last that happened.
      const message =
        'The server stopped in the middle of the statement. Whether the job is stored is unknown';
      throw new OutcomeUnknownError(message, { cause: error });
    }
  }

  async #storeTogether(jobs: readonly NewJob[], wake: boolean): Promise<string[]> {
    return idsOf(await this.#options.database.run(enqueueJobs, paramsOf(jobs, wake)));
  }

  #nextCalls(): Call[] {
    if (this.#alone > 0) {
      this.#alone -= 1;
      return this.#calls.splice(0, 1);
    }
    let rows = 0;
    let characters = 0;
    let count = 0;
    for (const { jobs, wake } of this.#calls) {
      rows += jobs.length;
      characters += charactersOf(jobs);
      if (count > 0 && (rows > maxRows || characters > maxCharacters || wake !== this.#calls[0]?.wake)) break;
      count += 1;
    }
    return this.#calls.splice(0, count);
  }

  #answer(calls: readonly Call[], ids: readonly string[]): void {
    let next = 0;
    for (const call of calls) call.resolve(ids.slice(next, (next += call.jobs.length)));
    this.#waiting -= next;
  }

  /** Nothing of them is stored. `alone`: so that only the one at fault fails. */
  #putBack(calls: readonly Call[], alone: boolean): void {
    this.#calls.unshift(...calls);
    if (alone || this.#alone > 0) this.#alone += calls.length;
  }

  #refuse(calls: readonly Call[], error: unknown): void {
    for (const call of calls) {
      this.#waiting -= call.jobs.length;
      call.reject(error);
    }
  }
}

function idsOf(rows: readonly { readonly id: string }[]): string[] {
  return rows.map(({ id }) => id);
}

async function storeParts(executor: Executor, jobs: readonly NewJob[], wake: boolean): Promise<string[]> {
  const ids: string[] = [];
  for (const part of partsOf(jobs)) {
    ids.push(...idsOf(await executor.run(enqueueJobs, paramsOf(part, wake))));
  }
  return ids;
}

function charactersOf(jobs: readonly NewJob[]): number {
  let characters = 0;
  for (const { args } of jobs) characters += args.length;
  return characters;
}

function fits(jobs: readonly NewJob[]): boolean {
  return jobs.length <= maxRows && charactersOf(jobs) <= maxCharacters;
}

/** Cuts where a statement would hold too many rows or characters. */
function partsOf(jobs: readonly NewJob[]): NewJob[][] {
  const parts: NewJob[][] = [];
  let part: NewJob[] = [];
  let characters = 0;
  for (const job of jobs) {
    if (part.length > 0 && (part.length === maxRows || characters + job.args.length > maxCharacters)) {
      parts.push(part);
      part = [];
      characters = 0;
    }
    part.push(job);
    characters += job.args.length;
  }
  if (part.length > 0) parts.push(part);
  return parts;
}
