import pg from 'pg';
import type { Executor } from '../../db/executor.js';
import type { EncodedParam } from '../../sql/statement.js';
import { rawStatement } from '../raw-statement.js';

/** Rows made at once, without the way through enqueue. */
export interface Fill {
  readonly rows: number;
  readonly queue?: string;
  readonly kind?: string;
  readonly priority?: number;
  /** When the first is due, in seconds from now; the others follow a microsecond each. @defaultValue an hour ago */
  readonly dueIn?: number;
  /** The worker that has them. @defaultValue nobody */
  readonly claimedBy?: string | null;
}

const fillStatement = rawStatement(`
  insert into rowlock.job (queue, kind, priority, run_at, created_at, claimed_by, claimed_at, claim_no, attempt, args)
  select $2, $3, $4, clock.now + $5::float8 * interval '1 second' + n * interval '1 microsecond', clock.now,
    $6::bigint, case when $6 is not null then clock.now end, case when $6 is null then 0 else 1 end, case when $6 is null then 0 else 1 end,
    jsonb_build_object('n', n, 'text', repeat('x', 60))
  from (select clock_timestamp() as now) clock cross join generate_series(1, $1::bigint) n`);

/** The server refuses statements of more than ten seconds here: a million rows go in parts. */
const part = 200_000;
const anHourAgo = -3600;

export async function fill(
  executor: Executor,
  { rows, queue = 'default', kind = 'plain', priority = 5, dueIn = anHourAgo, claimedBy = null }: Fill,
): Promise<void> {
  for (let done = 0; done < rows; done += part) {
    const first = dueIn + done / 1_000_000;
    const values: EncodedParam[] = [Math.min(part, rows - done), queue, kind, priority, first, claimedBy];
    await executor.run(fillStatement, values);
  }
}

const historyStatement = rawStatement(`
  insert into rowlock.finished (leaf, id, worker_id, run_at, created_at, claimed_at, finished_at, claim_no, attempt, priority, crashes, state, queue, kind, args)
  select 7, -n, 1, at.due, at.due, at.due, at.due, 1, 1, 5, 0, 'completed', 'default', 'plain', jsonb_build_object('n', n, 'text', repeat('x', 60))
  from generate_series($1::bigint, $2::bigint) n
  cross join lateral (select clock_timestamp() - (n / 100) * interval '1 millisecond' as due) at`);

/** Finished jobs -1, -2, …, the last first; ids end nearly in order. */
export async function fillHistory(executor: Executor, rows: number): Promise<void> {
  for (let last = rows; last > 0; last -= part)
    await executor.run(historyStatement, [Math.max(1, last - part + 1), last]);
}

export function runRaw(executor: Executor, text: string): Promise<unknown> {
  return executor.run(rawStatement(text), []);
}

/** In a session without our lock timeout: autovacuum may be at it. */
export async function maintain(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
