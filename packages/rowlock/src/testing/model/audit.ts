import { compareIds } from '../../worker/claim.js';
import { rawStatement } from '../raw-statement.js';
import type { Model } from './model.js';
import type { ModelJob, NewModelJob, Place } from './model-job.js';
import { hold, label } from './model-job.js';
import type { SimulatedProcess } from './process.js';
import { kindNamed, queues } from './world.js';

const everything = rawStatement(`
  select 'live', id::text, claim_no::text, attempt::text, crashes::text, parked::text, coalesce(claimed_by::text, ''), rowlock.to_us(run_at)::text
    from rowlock.job
  union all select state, id::text, claim_no::text, attempt::text, crashes::text, 'false', '', '' from rowlock.finished
  union all select 'discarded', id::text, claim_no::text, attempt::text, crashes::text, 'false', '', '' from rowlock.discarded`);

/** Every committed job is in exactly one place, and there as the ledger has it. Nothing else is anywhere. */
export async function auditPlaces(model: Model): Promise<void> {
  const seen = new Map<string, string>();
  for (const [place = '', id = '', ...fields] of (await model.database.run(everything, [])) as string[][]) {
    const job = model.ledger.job(id);
    const other = seen.get(id);
    hold(other === undefined, () => `in two places, ${String(other)} and ${place}: ${label(job)}`);
    seen.set(id, place);
    hold(place === job.place, () => `${place} in the database: ${label(job)}`);
    hold(
      fieldsOf(job) === fields.join(' '),
      () => `in the database it is ${fields.join(' ')}, expected ${fieldsOf(job)}: ${label(job)}`,
    );
  }
  const lost = [...model.ledger.jobs.values()].filter((job) => !seen.has(job.id) && !leavesNoTrace(job));
  hold(lost.length === 0, () => `lost: ${lost.map(label).join('; ')}`);
}

function fieldsOf({ place, claimNo, attempt, crashes, parked, holder, runAt }: ModelJob): string {
  const ended = place !== 'live';
  const rest = ended ? ['false', '', ''] : [String(parked), holder?.workerId ?? '', String(runAt)];
  return [claimNo, attempt, crashes, ...rest].join(' ');
}

const forgotten: readonly Place[] = ['completed', 'cancelled'];

function leavesNoTrace({ kind, place }: ModelJob): boolean {
  return kindNamed(kind).keep === 'none' && forgotten.includes(place);
}

/** No row that a claim could still want lies at or below a floor: not a locked one, not even one of an open transaction. */
export function auditFloors(model: Model): void {
  const waiting = model.ledger.live.filter((job) => job.holder === null && !job.parked);
  const uncommitted = model.producers.flatMap((producer) => producer.uncommitted);
  for (const process of model.processes) {
    const left = [...waiting, ...uncommitted].filter((job) => isBelowFloor(job, process));
    hold(
      left.length === 0,
      () =>
        `below a floor of ${process.name}: ${left.map(({ id, runAt }) => `${id} at ${String(runAt)}`).join(', ')}`,
    );
  }
}

function isBelowFloor({ id, queue, priority, runAt }: NewModelJob, { lanes }: SimulatedProcess): boolean {
  const { runAts, ids } = lanes.floors;
  const lane = queues.findIndex((name) => name === queue) * 10 + priority;
  const floor = runAts[lane] ?? 0;
  return runAt < floor || (runAt === floor && compareIds(id, ids[lane] ?? '0') <= 0);
}
