import { AsyncResource } from 'node:async_hooks';
import type { Database, Line } from '../db/executor.js';
import { isLoss, isStopped, isTransient } from '../db/errors.js';
import { EnqueueOverloadedError, OutcomeUnknownError } from '../job/errors.js';
import { pause, type Clock } from '../runtime/clock.js';
import { cappedPauses } from '../runtime/retry.js';
import { enqueueAlone, enqueueJobs } from '../sql/generated/statements.gen.js';
import type { NewJob } from './batch.js';
import { aloneParamsOf, charactersOf, idsOf, maxCharacters, maxRows, paramsOf } from './batch.js';

interface Call {
  /** Calls are stored in this order. */
  readonly number: number;
  readonly jobs: readonly NewJob[];
  readonly wake: boolean;
  readonly resolve: (ids: string[]) => void;
  readonly reject: (error: unknown) => void;
  /** Shares no statement: one that it shared was refused. */
  alone: boolean;
  /** Statements in a row that failed for the sake of somebody else, its own or one that it joined. */
  tries: number;
}

/** A lock (of a migration, say) is waited for 100 ms a try: with the pauses about eight seconds in all, for all who wait behind it. */
const maxTries = 50;
/** Between tries that fail at once, as after a deadlock; not much longer than a lock is waited for. */
const maxPauseMs = 80;

/** Statements of nobody's: a trace of the call that happened to send them would be charged with all the others. */
const outside = AsyncResource.bind((work: () => void): void => {
  work();
});

export interface SharedStatementsOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** Most jobs that may wait here. */
  readonly maxWaiting: number;
}

/**
 * Statements that concurrent calls share, over one connection: the order of calls is the order of jobs, and the busier it
 * gets, the fewer commits a job costs. Where the connection allows it two are under way, each with half of what there is
 * to store: the server works on one while the other is made, sent and answered.
 */
export class SharedStatements {
  readonly #options: SharedStatementsOptions;
  readonly #pauses = cappedPauses({ base: 5, cap: maxPauseMs });
  #calls: Call[] = [];
  #made = 0;
  /** Jobs of calls that are not answered. */
  #unanswered = 0;
  #underWay = 0;
  /** Of the statements under way, those with calls of one that failed. */
  #retries = 0;
  #line: Promise<Line> | undefined;
  #depth = 1;
  /** Something is to happen soon: a turn of the event loop has to pass, or a pause. */
  #isDue = false;

  constructor(options: SharedStatementsOptions) {
    this.#options = options;
  }

  /** Resolves with the ids, in order. */
  store(jobs: readonly NewJob[], wake: boolean): Promise<string[]> {
    // One call may be larger than the limit, which is there for those that wait.
    if (this.#unanswered > 0 && this.#unanswered + jobs.length > this.#options.maxWaiting)
      throw overloaded(this.#unanswered, this.#options.maxWaiting);
    return new Promise((resolve, reject) => {
      this.#made += 1;
      this.#calls.push({ number: this.#made, jobs, wake, resolve, reject, alone: false, tries: 0 });
      this.#unanswered += jobs.length;
      if (this.#isDue) return;
      if (this.#underWay === 0) outside(() => this.#send());
      else if (this.#hasRoom()) this.#sendSoon();
    });
  }

  /** With whoever calls in this turn of the event loop, as those do who were just answered. */
  #sendSoon(): void {
    this.#isDue = true;
    outside(() => void setImmediate(() => this.#sendNow()));
  }

  #sendNow(): void {
    this.#isDue = false;
    this.#send();
  }

  #send(): void {
    while (this.#calls.length > 0 && this.#hasRoom()) {
      const calls = this.#nextCalls();
      const retries = isRetry(calls[0]) ? 1 : 0;
      this.#underWay += 1;
      this.#retries += retries;
      void this.#store(calls).then((pauseMs) => {
        this.#underWay -= 1;
        this.#retries -= retries;
        this.#next(pauseMs);
      });
    }
  }

  /** After a failure one at a time, so that what has to be tried again stays before what came later. */
  #hasRoom(): boolean {
    const isTrying = this.#retries > 0 || isRetry(this.#calls[0]);
    return this.#underWay < (isTrying ? 1 : this.#depth);
  }

  #next(pauseMs: number): void {
    if (this.#calls.length === 0) {
      if (this.#underWay === 0) this.#closeLine();
    } else if (this.#isDue) return;
    else if (pauseMs === 0) this.#sendSoon();
    else {
      this.#isDue = true;
      void pause(this.#options.clock, pauseMs).then(() => this.#sendNow());
    }
  }

  /** @returns how long to wait before anything else is sent, in milliseconds */
  async #store(calls: readonly Call[]): Promise<number> {
    const jobs = calls.flatMap((call) => call.jobs);
    const wake = calls[0]?.wake ?? true;
    // One job, whose ring goes out while the disk writes.
    let lone = jobs.length === 1 && wake ? jobs[0] : undefined;
    const opening = (this.#line ??= this.#options.database.openLine());
    try {
      const line = await opening;
      this.#depth = line.depth;
      let rows = lone && (await line.runAlone(enqueueAlone, aloneParamsOf(lone)));
      if (rows === undefined) {
        lone = undefined;
        rows = await line.run(enqueueJobs, paramsOf(jobs, wake));
      }
      this.#answer(calls, idsOf(rows));
      this.#pauses.reset();
      return 0;
    } catch (error) {
      if (isLoss(error) && this.#line === opening) this.#closeLine();
      return this.#failed(calls, lone !== undefined && isStopped(error) ? stoppedAlone(error) : error);
    }
  }

  #failed(calls: readonly Call[], error: unknown): number {
    if (isTransient(error)) {
      const tries = 1 + calls.reduce((most, call) => Math.max(most, call.tries), 0);
      for (const call of calls) call.tries = tries;
      if (tries < maxTries) this.#putBack(calls);
      else this.#refuse(calls, error);
      return this.#pauses.next();
    }
    if (calls.length === 1 || isLoss(error)) this.#refuse(calls, error);
    else {
      for (const call of calls) call.alone = true;
      this.#putBack(calls);
    }
    return 0;
  }

  #closeLine(): void {
    const line = this.#line;
    this.#line = undefined;
    line?.then(
      (open) => open.close(),
      () => undefined,
    );
  }

  /** An equal share of what there is to store for each of the statements that may be under way. */
  #nextCalls(): Call[] {
    const share = Math.ceil(this.#unanswered / this.#depth);
    const [first] = this.#calls;
    let rows = 0;
    let characters = 0;
    let count = 0;
    for (const { jobs, wake, alone } of this.#calls) {
      if (count > 0 && (rows >= share || alone || first?.alone === true || wake !== first?.wake)) break;
      rows += jobs.length;
      characters += charactersOf(jobs);
      if (count > 0 && (rows > maxRows || characters > maxCharacters)) break;
      count += 1;
    }
    return this.#calls.splice(0, count);
  }

  #answer(calls: readonly Call[], ids: readonly string[]): void {
    let next = 0;
    for (const call of calls) call.resolve(ids.slice(next, (next += call.jobs.length)));
    this.#unanswered -= next;
  }

  /** Nothing of them is stored. */
  #putBack(calls: readonly Call[]): void {
    this.#calls = [...calls, ...this.#calls].sort((a, b) => a.number - b.number);
  }

  #refuse(calls: readonly Call[], error: unknown): void {
    for (const call of calls) {
      this.#unanswered -= call.jobs.length;
      call.reject(error);
    }
  }
}

function isRetry(call: Call | undefined): boolean {
  return call !== undefined && (call.tries > 0 || call.alone);
}

/** Either of its commits may have been the last that happened. */
function stoppedAlone(cause: unknown): OutcomeUnknownError {
  const message = 'The server stopped in the middle of the statement. Whether the job is stored is unknown';
  return new OutcomeUnknownError(message, { cause });
}

function overloaded(waiting: number, most: number): EnqueueOverloadedError {
  return new EnqueueOverloadedError(
    `${String(waiting)} jobs already wait to be enqueued, and maxWaitingJobs is ${String(most)}: await earlier calls, or use enqueueMany`,
  );
}
