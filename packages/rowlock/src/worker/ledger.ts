import type { Fact } from '../job/fact.js';
import type { Logger } from '../observe/logger.js';
import type { Clock } from '../runtime/clock.js';
import { Events } from '../runtime/events.js';
import type { Claim } from './claim.js';
import type { JobEvent, WorkerEvents } from './events.js';
import { FailureLog } from './failure-log.js';
import type { WorkerCounters } from './health.js';
import { newCounters } from './health.js';
import { Held } from './held.js';
import type { Ending } from './settler.js';

/** What this worker holds, has done and tells about it. */
export class Ledger {
  readonly events: Events<WorkerEvents>;
  readonly counters: WorkerCounters = newCounters();
  /** Claims of this process whose end is not stored yet. */
  readonly held = new Held();
  readonly failures: FailureLog;

  constructor(logger: Logger, clock: Clock) {
    this.failures = new FailureLog(logger, clock);
    this.events = new Events((error) => logger.error('a listener of a worker event threw', { error }));
  }

  started(claim: Claim): void {
    this.counters.started += 1;
    if (this.events.has('started')) this.events.emit('started', eventOf(claim));
  }

  completed(claim: Claim): void {
    this.held.delete(claim);
    this.counters.settled += 1;
    if (!this.events.has('settled')) return;
    // Written out: a spread takes a multiple of the memory, and this is for every job.
    const { id, kind, queue, attempt, claimNo } = claim;
    const job = { id, kind, queue, attempt, claimNo, outcome: 'completed', state: 'completed' } as const;
    this.events.emit('settled', job);
  }

  ended(claim: Claim, fact: Fact, ending: Ending): void {
    this.held.delete(claim);
    if (ending.how === 'settled') {
      this.counters.settled += 1;
      if (fact.outcome === 'release') this.counters.released += 1;
      const error = fact.error === undefined ? {} : { error: fact.error };
      const { state } = ending;
      this.events.emit('settled', { ...eventOf(claim), outcome: fact.outcome, state, ...error });
      this.failures.ended(claim, fact, state);
    } else {
      const name = ending.how === 'refused' ? 'leaseLost' : 'outcomeUnknown';
      this.counters[name] += 1;
      this.events.emit(name, eventOf(claim));
    }
  }
}

function eventOf({ id, kind, queue, attempt, claimNo }: Claim): JobEvent {
  return { id, kind, queue, attempt, claimNo };
}
