import type { ClaimNamedRow, SettleAndClaimRow } from '../sql/generated/statements.gen.js';

/** A job as this worker claimed it. `(id, claimNo)` is the fence of every write about it; `tid` only its hot address. */
export interface Claim {
  readonly tid: string;
  readonly id: string;
  readonly claimNo: number;
  readonly attempt: number;
  readonly priority: number;
  readonly queue: string;
  readonly kind: string;
  /** Microseconds, as is `claimedAt`. */
  readonly runAt: number;
  /** The database's clock while it was claimed: it cannot have ended before. */
  readonly claimedAt: number;
  /** JSON text; empty once it is of no use, for it may keep the text of all jobs of its row. */
  args: string;
  /** Length of the args as they came, in characters: settling moves them once more. */
  readonly size: number;
  /** As its caller stored it, where the job has one of its own. */
  readonly policy: unknown;
  readonly parked: boolean;
  /** Written by `Held` alone: its end is not stored yet. */
  held: boolean;
}

/** A claim as one word. A process may have two claims of one job: the earlier was taken from it, and it does not know yet. */
export function fenceOf({ id, claimNo }: { readonly id: string; readonly claimNo: number }): string {
  return `${id}:${String(claimNo)}`;
}

/** What `settle_and_claim` or `claim_named` answered. */
export interface Answer {
  /** Whether the worker id is alive, and may claim. */
  readonly mayClaim: boolean;
  /** The database's clock, and when its server started; microseconds. */
  readonly clock: number;
  readonly startedAt: number;
  /** Fences of the claims that were not found at their addresses. */
  readonly missed: readonly string[];
  /** In the order they shall start. */
  readonly claims: Claim[];
}

export function readAnswer(rows: readonly SettleAndClaimRow[]): Answer {
  const [report] = rows;
  if (report === undefined) throw new TypeError('settle_and_claim answered no row');
  const { mayClaim, clock, startedAt, missed } = report;
  return { mayClaim, clock, startedAt, missed, claims: inLaneOrder(rows.map(claimsOf)) };
}

export function readNamed(rows: readonly ClaimNamedRow[]): Answer {
  const [row] = rows;
  if (row === undefined) throw new TypeError('claim_named answered no row');
  const { mayClaim, clock, startedAt, ...job } = row;
  return { mayClaim, clock, startedAt, missed: [], claims: isClaimed(job) ? [namedClaim(job, clock)] : [] };
}

type NamedJob = Omit<ClaimNamedRow, 'mayClaim' | 'clock' | 'startedAt'>;
type ClaimedJob = {
  readonly [Key in keyof NamedJob]: Key extends 'policy' ? string | null : NonNullable<NamedJob[Key]>;
};

/** Its columns come together or not at all. */
function isClaimed(job: NamedJob): job is ClaimedJob {
  return job.id !== null;
}

function namedClaim(job: ClaimedJob, claimedAt: number): Claim {
  const policy: unknown = job.policy === null ? null : JSON.parse(job.policy);
  return { ...job, claimedAt, policy, size: job.args.length, parked: false, held: false };
}

/** Rows come in no order, the jobs of one nearly in theirs: sorted by rows first, all of them are sorted at little cost. */
function inLaneOrder(rows: readonly Claim[][]): Claim[] {
  const filled = rows.flatMap((claims) => (claims[0] === undefined ? [] : [{ first: claims[0], claims }]));
  filled.sort((a, b) => byLaneOrder(a.first, b.first));
  return filled.flatMap(({ claims }) => claims).sort(byLaneOrder);
}

function claimsOf(row: SettleAndClaimRow): Claim[] {
  const { queue, kind, priority, policy, parked, clock, ...jobs } = row;
  if (queue === null || kind === null || priority === null) return [];
  const own: unknown = policy === null ? null : JSON.parse(policy);
  const at = <T>(column: readonly T[], i: number): T => column[i] as T;
  return jobs.ids.map((id, i) => ({
    tid: at(jobs.tids, i),
    id,
    claimNo: at(jobs.claimNos, i),
    attempt: at(jobs.attempts, i),
    runAt: at(jobs.runAts, i),
    claimedAt: clock,
    args: at(jobs.args, i),
    size: at(jobs.args, i).length,
    queue,
    kind,
    priority,
    policy: own,
    parked: parked === true,
    held: false,
  }));
}

/** The fences of claims, as statements take them. */
export function fencesOf(claims: readonly Pick<Claim, 'id' | 'claimNo'>[]): {
  ids: string[];
  claimNos: number[];
} {
  return { ids: claims.map(({ id }) => id), claimNos: claims.map(({ claimNo }) => claimNo) };
}

/** Lower priority value first, then earlier, then smaller id: the order of the lanes. */
function byLaneOrder(a: Claim, b: Claim): number {
  return a.priority - b.priority || a.runAt - b.runAt || compareIds(a.id, b.id);
}

/** Ids are bigints in decimal text; a JS number would round them. */
export function compareIds(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}
