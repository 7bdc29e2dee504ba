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
    policy: null,
    parked: false,
    args: '{}',
    ...fields,
  };
}

export interface ReportFields {
  /** Whether the worker may claim. @defaultValue true */
  readonly alive?: boolean;
  /** Claims, as `id:claimNo`, whose settle found no row at its address. */
  readonly missed?: readonly string[];
  /** Microseconds of the database's clock. */
  readonly clock?: number;
  readonly startedAt?: number;
}

/** The first row of every answer of `settle_and_claim`. */
export function reportOf({
  alive = true,
  missed,
  clock = 2e15,
  startedAt = 1e15,
}: ReportFields = {}): SettleAndClaimRow {
  return {
    tid: null,
    id: null,
    claimNo: alive ? 1 : 0,
    attempt: 0,
    priority: 0,
    queue: '',
    kind: '',
    runAt: clock,
    policy: null,
    parked: false,
    args: JSON.stringify({ startedAt, missed: missed ?? null }),
  };
}
