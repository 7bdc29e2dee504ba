import type { Claim } from '../../worker/claim.js';
import { compareIds } from '../../worker/claim.js';
import type { Decision, ModelFact } from './decision.js';
import { decisionOn } from './decision.js';
import type { ModelJob, NewModelJob } from './model-job.js';
import { hold, label, newModelJob } from './model-job.js';
import { kindNamed } from './world.js';

/** What a claim statement returned of one row. */
export type ClaimedRow = Omit<Claim, 'args' | 'policy' | 'held'>;

export interface ClaimDetails {
  /** It claims and is still open; the claim counts once it commits. */
  readonly transaction?: object | null;
  /** The process was told. @defaultValue true */
  readonly heard?: boolean;
}

/** When a job has to be due again: `delay` ms after a stamp between two readings of the clock. */
export interface Expected extends Pick<Decision, 'delay'> {
  readonly before: number;
  readonly after: number;
}

/**
 * The pure model: what must be in the database, from what was asked and answered so far. It is told of every effect in
 * the order of commits, and throws a `Violation` at the first that may not be.
 */
export class Ledger {
  readonly jobs = new Map<string, ModelJob>();
  readonly #live = new Set<ModelJob>();
  readonly #unplaced = new Map<string, Expected>();
  readonly #neverCommitted = new Set<string>();
  readonly #workers = new Map<string, 'alive' | 'dead' | 'followed'>();
  readonly pausedQueues = new Set<string>();
  /** The latest reading of the database's clock. */
  clock = 0;

  read(clock: number): void {
    this.clock = Math.max(this.clock, clock);
  }

  get live(): ModelJob[] {
    return [...this.#live];
  }

  commit(jobs: readonly NewModelJob[]): void {
    for (const job of jobs) {
      hold(!this.jobs.has(job.id) && !this.#neverCommitted.has(job.id), () => `id ${job.id} was given twice`);
      const born = newModelJob(job);
      this.jobs.set(job.id, born);
      this.#live.add(born);
    }
  }

  rollBack(jobs: readonly NewModelJob[]): void {
    for (const { id } of jobs) this.#neverCommitted.add(id);
  }

  register(workerId: string): void {
    hold(!this.#workers.has(workerId), () => `worker id ${workerId} was given twice`);
    this.#workers.set(workerId, 'alive');
  }

  /** @param wentOn under another id, with the claims that its process knew of */
  bury(workerId: string, wentOn = false): void {
    this.#workers.set(workerId, wentOn ? 'followed' : 'dead');
  }

  wentOn(workerId: string): boolean {
    return this.#workers.get(workerId) === 'followed';
  }

  get aliveWorkers(): string[] {
    return [...this.#workers.keys()].filter((workerId) => this.isAlive(workerId));
  }

  isAlive(workerId: string): boolean {
    return this.#workers.get(workerId) === 'alive';
  }

  /** The committed job of an id that some answer named. */
  job(id: string): ModelJob {
    const job = this.jobs.get(id);
    const never = this.#neverCommitted.has(id) ? 'was rolled back' : 'is not committed';
    hold(job !== undefined, () => `job ${id} ${never}, and yet it was seen`);
    return job;
  }

  claim(row: ClaimedRow, workerId: string, { transaction = null, heard = true }: ClaimDetails = {}): void {
    const job = this.job(row.id);
    const what = (problem: string) => (): string => `${problem}: worker ${workerId} claimed ${label(job)}`;
    hold(job.place === 'live', what('claimed after its end'));
    hold(job.holder === null, what('claimed while somebody has it'));
    hold(
      job.lockedBy === null || job.lockedBy === transaction,
      what('claimed while another claim of it is open'),
    );
    hold(row.claimNo === job.claimNo + 1, what(`claim_no ${String(row.claimNo)} does not follow`));
    hold(row.attempt === job.attempt + 1, what(`attempt ${String(row.attempt)} does not follow`));
    hold(row.parked === job.parked, what('parked or not, the claim says otherwise'));
    hold(row.runAt === job.runAt, what(`it shows run_at ${String(row.runAt)}`));
    hold(
      row.priority === job.priority && row.queue === job.queue && row.kind === job.kind,
      what('it changed'),
    );
    if (transaction !== null) {
      job.lockedBy = transaction;
      return;
    }
    job.claimNo += 1;
    job.attempt += 1;
    job.lockedBy = null;
    job.holder = { workerId, claimNo: job.claimNo, tid: row.tid, heard };
  }

  unlock(id: string): void {
    this.job(id).lockedBy = null;
  }

  holds(id: string, claimNo: number): boolean {
    return this.job(id).holder?.claimNo === claimNo;
  }

  /** Everything moved to another place in the table: the addresses that claims know are void. */
  scatter(): void {
    for (const { holder } of this.#live) if (holder !== null) holder.tid = null;
  }

  /** @param claimNos that the process knew of */
  takeOver(id: string, claimNos: readonly number[], { from, to }: { from: string; to: string }): void {
    const { holder } = this.job(id);
    const isTheirs = holder !== null && claimNos.includes(holder.claimNo) && holder.workerId === from;
    hold(isTheirs, () => `worker ${to} took over a claim that ${from} does not have: ${label(this.job(id))}`);
    holder.workerId = to;
    holder.tid = null;
  }

  /** A claim was settled by this fact. @returns what had to follow */
  settle(id: string, claimNo: number, fact: ModelFact): Decision {
    const job = this.job(id);
    hold(
      job.holder?.claimNo === claimNo,
      () => `claim ${String(claimNo)} was settled (${fact.outcome}) without being held: ${label(job)}`,
    );
    const decision = decisionOn(job, fact);
    const isLoss = fact.outcome === 'crashed';
    if (isLoss || fact.error !== undefined) job.errors = [...job.errors.slice(-9), { claimNo, isLoss }];
    job.place = decision.place;
    job.holder = null;
    if (decision.place !== 'live') {
      this.#live.delete(job);
      if (isLoss) job.crashes += 1;
      return decision;
    }
    if (decision.refund) job.attempt -= 1;
    if (isLoss) job.crashes += 1;
    job.parked = decision.parks;
    return decision;
  }

  /** A settled job is due again at `runAt`: where claims will look for it, and as late as was decided. */
  returned(id: string, runAt: number, { delay, before, after }: Expected): void {
    const job = this.job(id);
    const early = runAt < before + delay[0] * 1000 - 1;
    const late = runAt > after + delay[1] * 1000 + 1;
    hold(
      !early && !late,
      () =>
        `it is due again at ${String(runAt)}, too ${early ? 'early, behind the heads' : 'late'}: ${label(job)}`,
    );
    job.runAt = runAt;
  }

  /** Settled by a statement that does not say when the job is due again. */
  awaitPlace(id: string, expected: Expected): void {
    this.#unplaced.set(id, expected);
  }

  get unplaced(): string[] {
    return [...this.#unplaced.keys()];
  }

  place(id: string, runAt: number): void {
    const expected = this.#unplaced.get(id);
    this.#unplaced.delete(id);
    if (expected !== undefined) this.returned(id, runAt, expected);
  }

  /** What a look at a claim has to find. */
  traceOf(id: string, claimNo: number): string {
    const job = this.job(id);
    if (this.holds(id, claimNo)) return 'held';
    const hasEnded = job.place === 'completed' || job.place === 'cancelled';
    if (hasEnded && kindNamed(job.kind).keep === 'none') return 'gone';
    const own = job.errors.find((error) => error.claimNo === claimNo);
    if (own?.isLoss === true) return 'lost';
    if (own !== undefined || (job.place !== 'live' && job.claimNo === claimNo)) return 'ours';
    return job.place === 'live' && job.claimNo === claimNo ? 'returned' : 'passed';
  }

  park(id: string): void {
    const job = this.job(id);
    hold(
      job.place === 'live' && job.holder === null && !job.parked,
      () => `parked while it was not waiting: ${label(job)}`,
    );
    job.parked = true;
  }

  shift(us: number): void {
    for (const job of this.#live) job.runAt -= us;
    this.scatter();
  }

  /** Due by then, and in nobody's hands. In the order of lanes. */
  claimable(queue: string, { parked, dueBy }: { parked: boolean; dueBy: number }): ModelJob[] {
    const isWaiting = (job: ModelJob): boolean =>
      job.queue === queue &&
      job.parked === parked &&
      job.holder === null &&
      job.lockedBy === null &&
      job.runAt <= dueBy;
    return this.live
      .filter(isWaiting)
      .sort((a, b) => a.priority - b.priority || a.runAt - b.runAt || compareIds(a.id, b.id));
  }

  orphans(): ModelJob[] {
    return this.live.filter(
      (job) => job.holder !== null && job.lockedBy === null && !this.isAlive(job.holder.workerId),
    );
  }
}
