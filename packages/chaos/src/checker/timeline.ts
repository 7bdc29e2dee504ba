import type { HarnessDatabase } from '../database.js';
import type { Violation } from './check.js';

const lifeOfJob = `
  select format('%s %s', to_char(at at time zone 'UTC', 'HH24:MI:SS.MS'), what) as line from (
    select at, mono, format('claim %s, attempt %s starts in process %s', claim_no, attempt, pid) as what from chaos.started where id = $1
    union all
    select at, mono, format('claim %s ends in process %s: %s', claim_no, pid, result) from chaos.ended where id = $1
    union all
    select at, mono, format('process %s is told of claim %s: %s %s', pid, claim_no, event, outcome) from chaos.told where id = $1
    union all
    select (e->>'at')::timestamptz, null, format('claim %s, attempt %s is remembered as failed: %s', e->>'claimNo', e->>'attempt', coalesce(e->>'code', e->>'message'))
    from chaos.place p cross join lateral jsonb_array_elements(coalesce(p.errors, '[]')) e where p.id = $1
  ) as moment
  union all
  select format('now %s: claim %s, attempt %s, %s crashes', place, claim_no, attempt, crashes) from chaos.place where id = $1
  order by 1`;
const hitsDuring = `
  select format('%s hit: %s', to_char(h.lost_at at time zone 'UTC', 'HH24:MI:SS.MS'), h.what) as line from chaos.hit h
  where h.lost_at between (select min(at) - interval '10 s' from chaos.started where id = $1) and (select max(at) + interval '2 s' from chaos.told where id = $1)`;

/** Adds to each violation what is known of the life of the first job that it names. */
export async function withTimelines(
  database: HarnessDatabase,
  violations: readonly Violation[],
): Promise<Violation[]> {
  return Promise.all(
    violations.map(async (violation) => {
      const id = /\bjob (\d+)/.exec(violation.details[0] ?? '')?.[1];
      if (id === undefined) return violation;
      const rows = [
        ...(await database.rows<{ line: string }>(lifeOfJob, [id])),
        ...(await database.rows<{ line: string }>(hitsDuring, [id])),
      ];
      const lines = rows.map(({ line }) => `  ${line}`).sort();
      return { ...violation, details: [...violation.details, `life of job ${id}:`, ...lines] };
    }),
  );
}
