import type { HarnessDatabase } from '../database.js';
import type { JournalLine } from '../fleet/journal.js';
import type { TokenRecord } from '../producers/tokens.js';

/** A fault that struck, as the round noted it. */
export interface Hit {
  readonly what: string;
  readonly pid: number | null;
  /** Ms since 1970. */
  readonly lostAt: number;
  /** Handlers running when it struck. */
  readonly running: number;
}

export interface Evidence {
  readonly tokens: readonly TokenRecord[];
  readonly journal: readonly JournalLine[];
  readonly hits: readonly Hit[];
  readonly lossless: boolean;
  /** Longest time from a fault until a job that it took runs again, in ms, with the slack of a shared machine. */
  readonly boundMs: number;
}

const instant = `to_timestamp(at / 1000.0)`;
const inserts = {
  enqueued: `insert into chaos.enqueued select token, route, fate, failures, "maxAttempts", snooze
    from jsonb_to_recordset($1::jsonb) as r (token bigint, route text, fate text, failures integer, "maxAttempts" integer, snooze boolean)`,
  start: `insert into chaos.started select token, id, "claimNo", attempt, pid, mono, ${instant}
    from jsonb_to_recordset($1::jsonb) as r (token bigint, id bigint, "claimNo" integer, attempt integer, pid integer, mono float8, at float8)`,
  end: `insert into chaos.ended select token, id, "claimNo", pid, result, mono, ${instant}
    from jsonb_to_recordset($1::jsonb) as r (token bigint, id bigint, "claimNo" integer, pid integer, result text, mono float8, at float8)`,
  told: `insert into chaos.told select id, "claimNo", pid, event, outcome, mono, ${instant}
    from jsonb_to_recordset($1::jsonb) as r (id bigint, "claimNo" integer, pid integer, event text, outcome text, mono float8, at float8)`,
  hit: `insert into chaos.hit select n, what, pid, to_timestamp("lostAt" / 1000.0), running
    from jsonb_to_recordset($1::jsonb) as r (n integer, what text, pid integer, "lostAt" float8, running integer)`,
};

/** Brings what producers, worker processes and the nemesis have noted into the tables that the checker reads. */
export async function loadEvidence(database: HarnessDatabase, evidence: Evidence): Promise<void> {
  const { tokens, journal, hits, lossless, boundMs } = evidence;
  const load = async (insert: string, rows: readonly object[]): Promise<void> => {
    await database.rows(insert, [JSON.stringify(rows)]);
  };
  await load(
    inserts.enqueued,
    tokens.map(({ work, maxAttempts, route, fate }) => ({ ...work, maxAttempts, route, fate })),
  );
  for (const type of ['start', 'end', 'told'] as const)
    await load(
      inserts[type],
      journal.filter((line) => line.type === type),
    );
  await load(
    inserts.hit,
    hits.map((hit, n) => ({ ...hit, n })),
  );
  await database.rows('insert into chaos.setting values ($1, $2)', [lossless, boundMs]);
  await database.rows('create index on chaos.started (id, claim_no)');
  await database.rows('create index on chaos.ended (id, claim_no)');
  await database.rows('create index on chaos.told (id, claim_no)');
  await database.rows('analyze');
}
