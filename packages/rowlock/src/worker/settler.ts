import type { Executor } from '../db/executor.js';
import { isLoss, isTransient, sqlState } from '../db/errors.js';
import { hasCode } from '../job/errors.js';
import type { Fact } from '../job/fact.js';
import { encodeFact } from '../job/fact.js';
import { errorRecord } from '../job/error-record.js';
import type { State } from '../job/state.js';
import { stateAfter } from '../job/transitions.js';
import { cappedPauses } from '../runtime/retry.js';
import type { Clock } from '../runtime/clock.js';
import { pause } from '../runtime/clock.js';
import type { LookUpClaimsRow, SettleFactsRow } from '../sql/generated/statements.gen.js';
import { lookUpClaims, settleFacts } from '../sql/generated/statements.gen.js';
import type { Claim } from './claim.js';
import { fenceOf, fencesOf } from './claim.js';
import { countFitting, storedSize } from './done.js';
import { FailureRun } from './failure-run.js';

/** How a claim ended, as far as the database tells. */
export type Ending =
  | { readonly how: 'settled'; readonly state: State; readonly runAt: number | null }
  | { readonly how: 'refused' | 'unknown' };

interface Entry {
  readonly claim: Claim;
  fact: Fact;
  /** A statement about it was cut off: look before writing again. */
  doubt: boolean;
  /** One was: it may have taken effect after the look, so a refusal is a reason to look again. */
  doubted: boolean;
  /** Settled alone, since something in its batch was refused. */
  alone: boolean;
}

export interface SettlerOptions {
  readonly database: Executor;
  readonly clock: Clock;
  readonly onClaimEnded: (claim: Claim, fact: Fact, ending: Ending) => void;
  readonly onError: (error: unknown) => void;
}

const batchSize = 200;
/** Data exceptions, constraints and limits of the server: the same value will be refused again. */
const unstorableStates = /^(22|23|54)/;

/**
 * Settles what is not a plain success in its hot place: failures and other facts, rows that moved, rows that somebody
 * has locked, and statements whose outcome is unknown. Goes on for ever, one batch at a time.
 */
export class Settler {
  readonly #options: SettlerOptions;
  #entries: Entry[] = [];
  #working: Promise<void> | undefined;
  #ended = 0;
  readonly #stopped = new AbortController();
  /** Of look-ups. */
  readonly #failures = new FailureRun();
  readonly #pauses = cappedPauses({ base: 20 });

  constructor(options: SettlerOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#entries.length;
  }

  /** Look-ups fail one after another, and not for want of a connection. */
  get lookUpsFail(): boolean {
    return this.#failures.isLong;
  }

  add(claim: Claim, fact: Fact, { doubt = false } = {}): void {
    this.#entries.push({ claim, fact, doubt, doubted: doubt, alone: false });
    if (!this.#stopped.signal.aborted) this.#working ??= this.#work();
  }

  /** What is not settled by now is left to rescue: a database that stays away must not keep the process. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#working;
  }

  async #work(): Promise<void> {
    // Lets the facts of the same turn share a statement.
    await new Promise(setImmediate);
    while (this.#entries.length > 0 && !this.#stopped.signal.aborted) {
      const before = this.#ended;
      // A look-up that fails, for a lock on the history say, keeps nothing from being settled.
      await this.#lookUpDoubts().catch(this.#options.onError);
      await this.#settleBatch().catch(this.#options.onError);
      if (this.#ended === before) await this.#pause();
      else this.#pauses.reset();
    }
    this.#working = undefined;
  }

  #pause(): Promise<void> {
    return pause(this.#options.clock, this.#pauses.next(), this.#stopped.signal);
  }

  async #lookUpDoubts(): Promise<void> {
    const doubts = this.#entries.filter((entry) => entry.doubt).slice(0, batchSize);
    if (doubts.length === 0) return;
    const found = new Map<string, LookUpClaimsRow>();
    const claimedAts = doubts.map(({ claim }) => claim.claimedAt);
    const sentAt = this.#options.clock.now();
    try {
      for (const row of await this.#options.database.run(lookUpClaims, {
        ...fencesOf(claimsOf(doubts)),
        claimedAts,
      }))
        found.set(fenceOf(row), row);
    } catch (error) {
      if (!hasCode(error, 'CONNECTION')) this.#failures.failed(sentAt, this.#options.clock.now());
      throw error;
    }
    this.#failures.end();
    for (const entry of doubts) entry.doubt = false;
    this.#endAll(doubts, (entry) => endingOf(found.get(fenceOf(entry.claim)), entry.fact));
  }

  async #settleBatch(): Promise<void> {
    const batch = this.#nextBatch();
    if (batch.length === 0) return;
    try {
      const facts = batch.map(({ fact }) => encodeFact(fact));
      const answers = new Map<string, SettleFactsRow>();
      for (const row of await this.#options.database.run(settleFacts, {
        ...fencesOf(claimsOf(batch)),
        facts,
      }))
        answers.set(fenceOf(row), row);
      for (const entry of batch)
        entry.doubt = entry.doubted && answers.get(fenceOf(entry.claim))?.answer === 'refused';
      this.#endAll(batch, (entry) =>
        entry.doubt ? undefined : endingOfAnswer(answers.get(fenceOf(entry.claim))),
      );
      this.#putLast(batch);
    } catch (error) {
      this.#afterFailure(batch, error);
      throw error;
    }
  }

  #nextBatch(): Entry[] {
    const ready = this.#entries.filter((entry) => !entry.doubt);
    const [first] = ready;
    if (first?.alone === true) return [first];
    const together = ready.filter((entry) => !entry.alone);
    const sizeOf = ({ claim, fact }: Entry): number => storedSize({ claim, output: fact.output ?? null });
    return together.slice(0, countFitting(together, batchSize, sizeOf));
  }

  #afterFailure(batch: readonly Entry[], error: unknown): void {
    if (hasCode(error, 'OUTCOME_UNKNOWN')) {
      for (const entry of batch) entry.doubt = entry.doubted = true;
    } else if (!isLoss(error) && !isTransient(error)) {
      // Something in the batch is refused: each alone, and then, if it is the value, as a failure that can be stored.
      const cannotBeStored = unstorableStates.test(sqlState(error) ?? '');
      for (const entry of batch) {
        if (entry.alone && cannotBeStored)
          entry.fact = { outcome: 'failed', error: { ...errorRecord(error), stack: '' } };
        entry.alone = true;
      }
    }
    this.#putLast(batch);
  }

  /** What could not be settled now lets the others go first. */
  #putLast(entries: readonly Entry[]): void {
    const left = new Set(entries);
    const others = this.#entries.filter((entry) => !left.has(entry));
    this.#entries = [...others, ...this.#entries.filter((entry) => left.has(entry))];
  }

  /** Ends the entries for which there is an ending. */
  #endAll(entries: readonly Entry[], endingFor: (entry: Entry) => Ending | undefined): void {
    const ended = new Map<Entry, Ending>();
    for (const entry of entries) {
      const ending = endingFor(entry);
      if (ending !== undefined) ended.set(entry, ending);
    }
    this.#entries = this.#entries.filter((entry) => !ended.has(entry));
    this.#ended += ended.size;
    for (const [{ claim, fact }, ending] of ended) this.#options.onClaimEnded(claim, fact, ending);
  }
}

function claimsOf(entries: readonly Entry[]): Claim[] {
  return entries.map(({ claim }) => claim);
}

function endingOfAnswer(row: SettleFactsRow | undefined): Ending | undefined {
  if (row?.answer === 'settled') return { how: 'settled', state: row.state as State, runAt: row.runAt };
  return row?.answer === 'refused' ? { how: 'refused' } : undefined;
}

/** No ending: the claim still stands. */
function endingOf(row: LookUpClaimsRow | undefined, fact: Fact): Ending | undefined {
  const found = row?.found ?? 'gone';
  if (found === 'held') return undefined;
  // Success and errors leave a trace; what leaves none is known to be ours only while nobody claimed the job again.
  const leavesTrace = fact.outcome === 'completed' || fact.error !== undefined;
  if (found === 'ours' || (found === 'returned' && !leavesTrace))
    return { how: 'settled', state: (row?.state as State | null) ?? stateAfter[fact.outcome], runAt: null };
  return { how: found === 'gone' || (found === 'passed' && !leavesTrace) ? 'unknown' : 'refused' };
}
