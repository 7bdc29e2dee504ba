import { compareIds } from '../../worker/claim.js';
import type { ClaimedRow, Ledger } from './ledger.js';
import type { ModelJob } from './model-job.js';
import { hold, label } from './model-job.js';

/** What a claim asked of one queue. */
export interface QueueRequest {
  readonly queue: string;
  readonly slots: number;
  /** Ten each: where the claim starts in the lanes of the queue. */
  readonly headRunAts: readonly number[];
  readonly headIds: readonly string[];
  /** The clock before the claim: what was due by then is surely due. */
  readonly dueBy: number;
  /** Kinds whose parked jobs are asked for too. */
  readonly parkedKinds: readonly string[];
}

/**
 * Holds what a claim returned against what it had to return: the first rows of the lanes, none left out. To be asked
 * before the ledger is told of the claims, and only where nobody else claimed meanwhile.
 */
export function checkOrder(ledger: Ledger, request: QueueRequest, rows: readonly ClaimedRow[]): void {
  const claimed = new Set(rows.map(({ id }) => id));
  hold(
    rows.length <= request.slots,
    () => `${String(rows.length)} claims for ${String(request.slots)} slots of ${request.queue}`,
  );
  const expected = [
    ...ledger
      .claimable(request.queue, { parked: false, dueBy: request.dueBy })
      .filter((job) => isAhead(job, request)),
    ...parkedJobs(ledger, request),
  ];
  const leftOut = expected.filter((job) => !claimed.has(job.id));
  if (rows.length < request.slots) {
    hold(leftOut.length === 0, () => `left behind with slots to spare: ${leftOut.map(label).join('; ')}`);
    return;
  }
  for (const row of rows) {
    const overtaken = leftOut.find((job) => comesBefore(job, row));
    hold(
      overtaken === undefined,
      () => `${row.id} was claimed, ${overtaken === undefined ? '' : label(overtaken)} comes before it`,
    );
  }
}

function parkedJobs(ledger: Ledger, { queue, parkedKinds, dueBy }: QueueRequest): ModelJob[] {
  return ledger.claimable(queue, { parked: true, dueBy }).filter(({ kind }) => parkedKinds.includes(kind));
}

function isAhead(job: ModelJob, { headRunAts, headIds }: QueueRequest): boolean {
  const runAt = headRunAts[job.priority] ?? 0;
  return job.runAt > runAt || (job.runAt === runAt && compareIds(job.id, headIds[job.priority] ?? '0') > 0);
}

/** Lower priorities go first; within one, parked jobs go last and each kind of them is a lane of its own. */
function comesBefore(job: ModelJob, row: ClaimedRow): boolean {
  if (job.priority !== row.priority) return job.priority < row.priority;
  if (job.parked !== row.parked) return !job.parked;
  if (job.parked && job.kind !== row.kind) return false;
  return job.runAt < row.runAt || (job.runAt === row.runAt && compareIds(job.id, row.id) < 0);
}
