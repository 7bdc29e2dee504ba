import pg from 'pg';
import type { Database } from '../../db/executor.js';
import { parkUnserved, summarizeHistory } from '../../sql/generated/statements.gen.js';
import { settleAtAddress } from '../claims.js';
import type { LaneProcess } from '../lane-process.js';
import { fill, fillHistory, runRaw } from './fill.js';

export interface Prepared {
  readonly database: Database;
  readonly url: string;
  /** The process whose claims are explained: its heads and floors count. */
  readonly process: LaneProcess;
  /** Somebody alive who holds claims. */
  readonly otherWorkerId: string;
  readonly rows: number;
}

export interface Scenario {
  readonly name: string;
  /** Rows wanted of it when the whole run is about `rows`. */
  readonly share?: number;
  readonly prepare: (prepared: Prepared) => Promise<void>;
}

/** Jobs that are due for the process, behind whatever lies ahead. */
const dueRows = 1000;

const due = (database: Database): Promise<void> => fill(database, { rows: dueRows, dueIn: -1 });

/** Everything lies ahead of what is due; `share` of the rows of a large run suffices to show it. */
const shareAhead = 0.1;

export const scenarios: readonly Scenario[] = [
  { name: 'empty', prepare: () => Promise.resolve() },
  {
    name: 'just truncated',
    share: shareAhead,
    prepare: async ({ database, rows }) => {
      await fill(database, { rows });
      await runRaw(database, 'analyze rowlock.job');
      await runRaw(database, 'truncate rowlock.job');
    },
  },
  { name: 'bloated', share: shareAhead, prepare: bloat },
  { name: 'large', prepare: ({ database, rows }) => fill(database, { rows }) },
  {
    name: 'future ahead',
    share: shareAhead,
    prepare: async ({ database, rows }) => {
      await fill(database, { rows, dueIn: 3600 });
      await due(database);
    },
  },
  {
    name: 'claimed ahead',
    share: shareAhead,
    prepare: async ({ database, process, rows, otherWorkerId }) => {
      await fill(database, { rows, claimedBy: otherWorkerId });
      await due(database);
      // One claim goes past them, and takes its time.
      await process.claim(1);
    },
  },
  { name: 'unserved kind ahead', share: shareAhead, prepare: (prepared) => parkAhead(prepared, 'unserved') },
  {
    name: 'paused kind ahead',
    share: shareAhead,
    prepare: async (prepared) => {
      await runRaw(
        prepared.database,
        `insert into rowlock.kind (name, queue, policy, paused) values ('paused', 'default', '{}', true)`,
      );
      await parkAhead(prepared, 'paused');
    },
  },
  {
    name: 'parked jobs of a served kind',
    share: shareAhead,
    prepare: async ({ database, rows }) => {
      await fill(database, { rows });
      await runRaw(database, `update rowlock.job set parked = true`);
    },
  },
  {
    name: 'long history',
    prepare: async ({ database, rows }) => {
      await due(database);
      // Summarized, but not analyzed: the planner knows the size of the leaf and nothing of its ids and times.
      await runRaw(database, 'alter table rowlock.finished_7 set (autovacuum_enabled = off)');
      await fillHistory(database, rows);
      await database.run(summarizeHistory, {});
    },
  },
  {
    name: 'other lanes full',
    share: shareAhead,
    prepare: async ({ database, rows }) => {
      await fill(database, { rows: rows / 2, queue: 'another' });
      await fill(database, { rows: rows / 2, priority: 9 });
      await due(database);
    },
  },
];

/** Drains many jobs under a held snapshot: what is left of them in the table and its indexes may not be cleaned up. */
async function bloat({ database, url, process, rows }: Prepared): Promise<void> {
  const reader = new pg.Client({ connectionString: url });
  await reader.connect();
  try {
    await reader.query('begin isolation level repeatable read');
    await reader.query('select count(*) from rowlock.job');
    await fill(database, { rows });
    await runRaw(database, 'analyze rowlock.job');
    let claims = await process.claim(1000);
    for (; claims.length > 0; claims = await process.claim(1000)) await settleAtAddress(database, claims);
    await due(database);
  } finally {
    await reader.end();
  }
  await database.run(summarizeHistory, {});
}

async function parkAhead({ database, rows }: Prepared, kind: string): Promise<void> {
  await fill(database, { rows, kind });
  await due(database);
  const window = 5000;
  for (;;) {
    const parked = await database.run(parkUnserved, {
      queue: 'default',
      served: ['plain'],
      window,
      floorRunAts: [],
      floorIds: [],
    });
    if (parked.length === 0) break;
  }
}
