import type { SettleAndClaimRow } from '../sql/generated/statements.gen.js';

/** A job as this worker claimed it. `(id, claimNo)` is the fence of every write about it; `tid` only its hot address. */
export interface Claim extends SettleAndClaimRow {
  readonly tid: string;
  readonly id: string;
}

/** The row that reports has no id. */
export function isClaim(row: SettleAndClaimRow): row is Claim {
  return row.id !== null;
}

/** A claim as one word. A process may have two claims of one job: the earlier was taken from it, and it does not know yet. */
export function fenceOf({ id, claimNo }: { readonly id: string; readonly claimNo: number }): string {
  return `${id}:${String(claimNo)}`;
}

/** What the first row of `settle_and_claim` reports. */
export interface ClaimReport {
  /** Whether the worker id is alive, and may claim. */
  readonly mayClaim: boolean;
  /** The database's clock, and when its server started; microseconds. */
  readonly clock: number;
  readonly startedAt: number;
  /** Fences of the claims that were not found at their addresses. */
  readonly missed: readonly string[];
}

export function readReport(rows: readonly SettleAndClaimRow[]): ClaimReport {
  const [report] = rows;
  if (report === undefined) throw new TypeError('settle_and_claim answered without its report row');
  const { startedAt, missed } = JSON.parse(report.args) as { startedAt: number; missed: string[] | null };
  return { mayClaim: report.claimNo === 1, clock: report.runAt, startedAt, missed: missed ?? [] };
}

/** The fences of claims, as statements take them. */
export function fencesOf(claims: readonly Pick<Claim, 'id' | 'claimNo'>[]): {
  ids: string[];
  claimNos: number[];
} {
  return { ids: claims.map(({ id }) => id), claimNos: claims.map(({ claimNo }) => claimNo) };
}

/** Lower priority value first, then earlier, then smaller id: the order of the lanes. */
export function byLaneOrder(a: Claim, b: Claim): number {
  return a.priority - b.priority || a.runAt - b.runAt || compareIds(a.id, b.id);
}

/** Ids are bigints in decimal text; a JS number would round them. */
export function compareIds(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}
