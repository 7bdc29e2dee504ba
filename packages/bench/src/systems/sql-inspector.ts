import { Client } from 'pg';
import type { Expected, Inspector } from './system.js';

interface Questions {
  /** A query of one boolean, `live`. */
  readonly live: string;
  /** A query of one row of counts, and what each should be. */
  readonly census: (expected: Expected) => {
    readonly text: string;
    readonly values?: readonly unknown[];
    readonly wanted: Readonly<Record<string, number>>;
  };
}

/** Counts rows with SQL of the bench's own. */
export async function inspectBySql(url: string, { live, census }: Questions): Promise<Inspector> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return {
    hasLive: async () => {
      const { rows } = await client.query<{ live: boolean }>(live);
      return rows[0]?.live !== false;
    },
    check: async (expected) => {
      const { text, values = [], wanted } = census(expected);
      const { rows } = await client.query<Record<string, number>>(text, [...values]);
      return differences(wanted, rows[0]);
    },
    close: () => client.end(),
  };
}

/** @returns what is not as wanted, in words */
export function differences(
  wanted: Readonly<Record<string, number>>,
  found: Readonly<Record<string, number>> | undefined,
): string[] {
  return Object.entries(wanted)
    .filter(([name, count]) => found?.[name] !== count)
    .map(([name, count]) => `${name}: ${String(found?.[name])} instead of ${count}`);
}
