import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { HarnessDatabase } from '../database.js';

export interface Violation {
  readonly invariant: string;
  /** How often; only some are told of in detail. */
  readonly count: number;
  readonly details: readonly string[];
}

export interface Recovery {
  /** Jobs whose worker was lost. */
  readonly jobs: number;
  /** From the fault until each could be claimed again, and until each ran again, in ms; null without such jobs. */
  readonly maxGivenBackMs: number | null;
  readonly maxStartedAgainMs: number | null;
  readonly medianStartedAgainMs: number | null;
}

const folder = fileURLToPath(new URL('../../src/checker/sql/', import.meta.url));
const detailsTold = 5;

export function schemaText(): string {
  return readFileSync(`${folder}schema.sql`, 'utf8');
}

/** One file an invariant: whatever rows it returns are violations. */
export function invariants(): string[] {
  const names = readdirSync(folder).map((file) => file.replace(/\.sql$/, ''));
  return names.filter((name) => name !== 'schema').sort();
}

export async function check(database: HarnessDatabase, names = invariants()): Promise<Violation[]> {
  const violations: Violation[] = [];
  for (const invariant of names) {
    const rows = await database.rows<{ detail: string }>(readFileSync(`${folder}${invariant}.sql`, 'utf8'));
    if (rows.length === 0) continue;
    violations.push({
      invariant,
      count: rows.length,
      details: rows.slice(0, detailsTold).map(({ detail }) => detail),
    });
  }
  return violations;
}

export async function measureRecovery(database: HarnessDatabase): Promise<Recovery> {
  const [row] = await database.rows<Recovery>(`
    select count(*)::integer as jobs, max(given_back_ms) as "maxGivenBackMs", max(started_again_ms) as "maxStartedAgainMs",
      percentile_cont(0.5) within group (order by started_again_ms) as "medianStartedAgainMs"
    from chaos.recovery`);
  if (row === undefined) throw new TypeError('an aggregate without a row');
  return row;
}
