import { checkChoice, checkFunction } from '../job/check.js';
import { hasCode, ShutdownError, WorkerAlreadyStartedError, WorkerStoppedError } from '../job/errors.js';
import { messageOf } from '../job/message.js';
import { pause } from '../runtime/clock.js';
import { deferred } from '../runtime/deferred.js';
import { Engine } from './engine.js';
import type { EngineOptions } from './engine.js';
import { workerEventNames, type WorkerEvents } from './events.js';
import type { WorkerHealth } from './health.js';

export interface WorkerParts extends EngineOptions {
  /** Resolves once the schema is there to work with; rejects when it cannot be. Told of what may pass. */
  readonly ready: (signal: AbortSignal, onError: (error: unknown) => void) => Promise<void>;
  /** The worker has ended, however. */
  readonly onStopped: () => void;
}

/** Once aborted, handlers get this long to end by themselves, in ms. */
const abortGraceMs = 1000;
/** What is done is stored within this time, in ms, or left to rescue. */
const storeLimitMs = 10_000;
const lookMs = 20;

/** Claims jobs and runs them, until it is stopped. Made by `rowlock.worker(options)`. */
export class Worker implements AsyncDisposable {
  readonly #parts: WorkerParts;
  readonly #engine: Engine;
  readonly #starting = new AbortController();
  readonly #hurry = new AbortController();
  readonly #whenStopped = deferred();
  #state: WorkerHealth['state'] = 'new';
  #started: Promise<void> | undefined;
  #stopped: Promise<void> | undefined;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.#engine = new Engine(parts);
  }

  /**
   * @returns a function that removes the listener
   * @throws `CONFIG_INVALID` for an event that does not exist
   */
  on<Name extends keyof WorkerEvents>(name: Name, listener: (event: WorkerEvents[Name]) => void): () => void {
    checkChoice(name, 'name', workerEventNames);
    checkFunction(listener, 'listener');
    return this.#engine.ledger.events.on(name, listener);
  }

  /**
   * Resolves once the worker is registered and claims; waits for a database that is away, as long as it takes.
   * Rejects with `SCHEMA_…` errors, `NOT_ALLOWED`, `WORKER_ALREADY_STARTED`, and `WORKER_STOPPED` if stopped before or
   * meanwhile.
   */
  start(): Promise<void> {
    if (this.#hasEnded)
      return Promise.reject(
        new WorkerStoppedError('the worker has stopped: make another one with rowlock.worker()'),
      );
    if (this.#started !== undefined)
      return Promise.reject(
        new WorkerAlreadyStartedError('a worker is started once: make another one with rowlock.worker()'),
      );
    this.#started = this.#start();
    return this.#started;
  }

  /** Starts, and works until SIGTERM, SIGINT or `stop()`; a second signal ends the grace. Rejects like `start`. */
  async run(): Promise<void> {
    if (this.#hasEnded) return this.start();
    const onSignal = (): void => {
      if (this.#state === 'stopping') this.#hurry.abort();
      else void this.stop();
    };
    process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
    try {
      await this.start();
      await this.#whenStopped.promise;
    } catch (error) {
      // A signal during the start is an end like any other.
      if (!hasCode(error, 'WORKER_STOPPED')) throw error;
      await this.#stopped;
    } finally {
      process.off('SIGTERM', onSignal).off('SIGINT', onSignal);
    }
  }

  /**
   * No new claims; waits for running handlers up to `stopGrace`, then aborts their signals, gives back what still runs
   * with the attempt refunded, and closes. May be called at any time and again.
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  health(): WorkerHealth {
    const { incarnation, dispatcher, ledger, waiting } = this.#engine;
    const running = dispatcher.running.size;
    const overdue = dispatcher.running.overdue();
    const reasons = this.#reasons(overdue);
    const { mode, listening } = this.#parts.keeper;
    return {
      ok: reasons.length === 0,
      reasons,
      state: this.#state,
      workerId: incarnation.workerId,
      listening,
      lease: mode,
      running,
      waiting,
      overdue: [...overdue.values()].reduce((sum, count) => sum + count, 0),
      // Handlers that were given up at the stop run on, but hold nothing any more.
      unsettled: Math.max(0, ledger.held.size - running - waiting),
      counters: { ...ledger.counters },
    };
  }

  #reasons(overdue: ReadonlyMap<string, number>): string[] {
    const reasons: string[] = [];
    if (this.#state !== 'running') reasons.push(`the worker is ${this.#state}`);
    else if (this.#engine.incarnation.workerId === null) reasons.push('the worker is registering again');
    const { contact } = this.#engine;
    if (!contact.ok) reasons.push('the database does not answer');
    else if (this.#engine.cycle.claimsFail) reasons.push('claims fail, one after another');
    if (this.#engine.settler.lookUpsFail)
      reasons.push('what became of settles that were cut off cannot be looked up');
    if (this.#engine.lease.expired) reasons.push('the lease could not be renewed in time');
    for (const { queue, concurrency } of this.#engine.slots) {
      if ((overdue.get(queue) ?? 0) < concurrency) continue;
      reasons.push(`every slot of queue '${queue}' is held by a handler that ignores its timeout`);
    }
    if (reasons.length > 0 && contact.cause !== null)
      reasons.push(`the last call to the database failed: ${contact.cause}`);
    return reasons;
  }

  /** By a stop, or by a start that failed. */
  get #hasEnded(): boolean {
    return this.#stopped !== undefined || this.#state === 'stopped';
  }

  async #start(): Promise<void> {
    this.#state = 'starting';
    const { contact } = this.#engine;
    const { keeper, ready, onStopped } = this.#parts;
    try {
      // Booting a thread and opening sessions take a while and need no worker id: they go beside what has to come in turn.
      keeper.boot();
      await ready(this.#starting.signal, (error) => contact.cannotStart(error));
      void this.#engine.cycle.warmUp();
      await this.#engine.incarnation.begin();
    } catch (error) {
      if (this.#starting.signal.aborted)
        throw new WorkerStoppedError('the worker was stopped while it started', { cause: error });
      await keeper.stop();
      this.#state = 'stopped';
      onStopped();
      throw error;
    }
    if (this.#starting.signal.aborted)
      throw new WorkerStoppedError('the worker was stopped while it started');
    this.#state = 'running';
    this.#engine.lease.start();
    this.#engine.pass.start();
    this.#engine.maintenance.start();
  }

  async #stop(): Promise<void> {
    const wasRunning = this.#state === 'running';
    if (this.#state !== 'stopped') this.#state = 'stopping';
    this.#engine.closed = true;
    this.#starting.abort();
    if (wasRunning) await this.#drain();
    await this.#close();
    this.#state = 'stopped';
    this.#parts.onStopped();
    this.#whenStopped.resolve();
  }

  async #drain(): Promise<void> {
    const { dispatcher, settler, cycle, ledger } = this.#engine;
    const { config } = this.#parts;
    this.#engine.giveBack(dispatcher.withdraw(Infinity));
    const running = (): boolean => dispatcher.running.size > 0;
    await this.#while(running, config.stopGraceMs, this.#hurry.signal);
    dispatcher.running.abortAll(new ShutdownError());
    await this.#while(running, abortGraceMs);
    this.#engine.abandon();
    await this.#while(() => ledger.held.size > 0 || settler.size > 0 || cycle.underWay > 0, storeLimitMs);
  }

  async #while(condition: () => boolean, limitMs: number, hurry?: AbortSignal): Promise<void> {
    const until = this.#parts.clock.now() + limitMs;
    while (condition() && this.#parts.clock.now() < until && hurry?.aborted !== true) {
      await pause(this.#parts.clock, lookMs, hurry);
    }
  }

  async #close(): Promise<void> {
    const { pass, maintenance, waker, parking, cycle, incarnation, dispatcher, ledger, settler } =
      this.#engine;
    const { keeper, logger } = this.#parts;
    this.#engine.lease.stop();
    cycle.stop();
    dispatcher.running.stop();
    await Promise.all([pass.stop(), maintenance.stop(), waker.stop(), parking.stop(), settler.stop()]);
    // Away or not, the database must not keep the process: what is not said now, rescue finds out.
    const unstarted = ledger.held.size === 0 && settler.size === 0;
    await incarnation
      .stop({ swept: unstarted && cycle.underWay === 0, unstarted })
      .catch((error: unknown) => {
        logger.warn('the worker could not sign off; its lease will run out', {
          error: messageOf(error),
        });
      });
    await keeper.stop();
    ledger.failures.stop();
  }
}
