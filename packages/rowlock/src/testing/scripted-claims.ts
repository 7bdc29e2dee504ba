import type { SettleAndClaimRow } from '../sql/generated/statements.gen.js';
import type { Claim } from '../worker/claim.js';

let lastId = 1000;

/** A claim as the database would answer it, with an id of its own. */
export function claimOf(fields: Partial<Claim> = {}): Claim {
  lastId += 1;
  const id = fields.id ?? String(lastId);
  return {
    tid: `(${id},1)`,
    id,
    claimNo: 1,
    attempt: 1,
    priority: 5,
    queue: 'default',
    kind: 'work',
    runAt: 1_000_000_000 + Number(id),
    claimedAt: 2e15,
    policy: null,
    parked: false,
    args: '{}',
    size: (fields.args ?? '{}').length,
    held: false,
    ...fields,
  };
}

export interface ReportFields {
  /** @defaultValue true */
  readonly mayClaim?: boolean;
  /** Claims, as `id:claimNo`, whose settle found no row at its address. */
  readonly missed?: readonly string[];
  /** Microseconds of the database's clock. */
  readonly clock?: number;
  readonly startedAt?: number;
}

/** An answer of `settle_and_claim`, one job a row. */
export function answerOf(report: ReportFields = {}, claims: readonly Claim[] = []): SettleAndClaimRow[] {
  const { mayClaim = true, missed = [], clock = 2e15, startedAt = 1e15 } = report;
  const said = { mayClaim, clock, startedAt, missed };
  if (claims.length === 0) return [{ ...said, ...noJobs }];
  return claims.map((claim) => ({ ...said, ...rowOf(claim) }));
}

type Jobs = Omit<SettleAndClaimRow, 'mayClaim' | 'clock' | 'startedAt' | 'missed'>;

const noJobs: Jobs = {
  ...{ queue: null, kind: null, priority: null, policy: null, parked: null },
  ...{ tids: [], ids: [], claimNos: [], attempts: [], runAts: [], args: [] },
};

function rowOf({ queue, kind, priority, policy, parked, ...job }: Claim): Jobs {
  return {
    ...{ queue, kind, priority, parked, policy: policy === null ? null : JSON.stringify(policy) },
    ...{ tids: [job.tid], ids: [job.id], claimNos: [job.claimNo], attempts: [job.attempt] },
    ...{ runAts: [job.runAt], args: [job.args] },
  };
}
