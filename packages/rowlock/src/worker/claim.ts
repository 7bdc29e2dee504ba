import type { SettleAndClaimRow } from '../sql/generated/statements.gen.js';

/** A job as this worker claimed it. `(id, claimNo)` is the fence of every write about it; `tid` only its hot address. */
export interface Claim extends SettleAndClaimRow {
  readonly tid: string;
  readonly id: string;
}

export function isClaim(row: SettleAndClaimRow): row is Claim {
  return row.id !== null;
}

/** A claim as one word. A process may have two claims of one job: the earlier was taken from it, and it does not know yet. */
export function fenceOf({ id, claimNo }: { readonly id: string; readonly claimNo: number }): string {
  return `${id}:${String(claimNo)}`;
}

/** Lower priority value first, then earlier, then smaller id: the order of the lanes. */
export function byLaneOrder(a: Claim, b: Claim): number {
  return a.priority - b.priority || a.runAt - b.runAt || compareIds(a.id, b.id);
}

/** Ids are bigints in decimal text; a JS number would round them. */
export function compareIds(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}
