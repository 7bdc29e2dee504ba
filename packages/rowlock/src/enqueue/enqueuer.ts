import { AsyncResource } from 'node:async_hooks';
import type { Database } from '../db/database.js';
import { isTransient } from '../db/errors.js';
import { EnqueueOverloadedError, hasCode } from '../job/errors.js';
import { enqueueJobs } from '../sql/generated/statements.gen.js';
import type { NewJob } from './batch.js';
import { paramsOf } from './batch.js';

interface Call {
  readonly jobs: readonly NewJob[];
  readonly wake: boolean;
  readonly resolve: (ids: string[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Most rows and characters of args in one statement. */
const MAX_ROWS = 10_000;
const MAX_CHARACTERS = 16 * 1_048_576;
/** A lock (of a migration, say) is waited for 100 ms a try: five seconds in all. */
const TRIES = 50;

/** Statements of nobody's: a trace of the call that happened to send them would be charged with all the others. */
const outside = AsyncResource.bind((work: () => void): void => {
  work();
});

/**
 * Stores jobs in statements of our own. One statement is under way at a time; calls that arrive meanwhile share the next
 * one. So the order of calls is the order of jobs, and the busier it gets, the fewer commits a job costs.
 */
export class Enqueuer {
  readonly #database: Database;
  readonly #maxWaiting: number;
  #calls: Call[] = [];
  #waiting = 0;
  #underWay: Promise<void> | undefined;

  constructor(database: Database, maxWaiting: number) {
    this.#database = database;
    this.#maxWaiting = maxWaiting;
  }

  /** All of the jobs are stored or none. Resolves with their ids, in order. */
  enqueue(jobs: readonly NewJob[], wake: boolean): Promise<string[]> {
    if (jobs.length === 0) return Promise.resolve([]);
    if (!fits(jobs)) return this.#enqueueInParts(jobs, wake);
    if (this.#waiting + jobs.length > this.#maxWaiting) {
      const problem = `${String(this.#waiting)} jobs already wait to be enqueued`;
      return Promise.reject(
        new EnqueueOverloadedError(
          `${problem}, more than maxWaitingJobs allows: await earlier calls, or use enqueueMany`,
        ),
      );
    }
    return new Promise((resolve, reject) => {
      this.#calls.push({ jobs, wake, resolve, reject });
      this.#waiting += jobs.length;
      if (this.#underWay === undefined) outside(() => void (this.#underWay = this.#work()));
    });
  }

  /** Resolves when every call made so far is answered. */
  async idle(): Promise<void> {
    await this.#underWay;
  }

  async #work(): Promise<void> {
    while (this.#calls.length > 0) await this.#store(this.#nextCalls());
    this.#underWay = undefined;
  }

  #nextCalls(): Call[] {
    let rows = 0;
    let characters = 0;
    let count = 0;
    for (const { jobs, wake } of this.#calls) {
      rows += jobs.length;
      characters += charactersOf(jobs);
      if (count > 0 && (rows > MAX_ROWS || characters > MAX_CHARACTERS || wake !== this.#calls[0]?.wake))
        break;
      count += 1;
    }
    return this.#calls.splice(0, count);
  }

  async #store(calls: readonly Call[]): Promise<void> {
    const jobs =
      calls.length === 1 && calls[0] !== undefined ? calls[0].jobs : calls.flatMap((call) => call.jobs);
    try {
      const ids = await this.#run(jobs, calls[0]?.wake ?? true);
      this.#waiting -= jobs.length;
      let next = 0;
      for (const call of calls) call.resolve(ids.slice(next, (next += call.jobs.length)));
    } catch (error) {
      // Refused, so nothing of the batch is stored: each call on its own, and only the one at fault fails.
      if (calls.length > 1 && !isLoss(error)) for (const call of calls) await this.#store([call]);
      else {
        this.#waiting -= jobs.length;
        for (const call of calls) call.reject(error);
      }
    }
  }

  async #run(jobs: readonly NewJob[], wake: boolean): Promise<string[]> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return (await this.#database.run(enqueueJobs, paramsOf(jobs, wake))).map(({ id }) => id);
      } catch (error) {
        if (!isTransient(error) || attempt === TRIES) throw error;
      }
    }
  }

  /** More than one statement should hold: several in one transaction, beside the calls that share statements. */
  #enqueueInParts(jobs: readonly NewJob[], wake: boolean): Promise<string[]> {
    return this.#database.transaction(async (tx) => {
      const ids: string[] = [];
      for (const part of partsOf(jobs))
        ids.push(...(await tx.run(enqueueJobs, paramsOf(part, wake))).map(({ id }) => id));
      return ids;
    });
  }
}

function isLoss(error: unknown): boolean {
  return hasCode(error, 'CONNECTION') || hasCode(error, 'OUTCOME_UNKNOWN');
}

function charactersOf(jobs: readonly NewJob[]): number {
  let characters = 0;
  for (const { args } of jobs) characters += args.length;
  return characters;
}

function fits(jobs: readonly NewJob[]): boolean {
  return jobs.length <= MAX_ROWS && charactersOf(jobs) <= MAX_CHARACTERS;
}

/** Cuts where a statement would hold too many rows or characters. */
export function partsOf(jobs: readonly NewJob[]): NewJob[][] {
  const parts: NewJob[][] = [];
  let part: NewJob[] = [];
  let characters = 0;
  for (const job of jobs) {
    if (part.length > 0 && (part.length === MAX_ROWS || characters + job.args.length > MAX_CHARACTERS)) {
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
