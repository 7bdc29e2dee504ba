import { readFile } from 'node:fs/promises';
import type { BenchDatabase } from '../host/bench-server.js';
import type { Expected, Keep } from '../systems/system.js';
import type { ScriptResult } from './pgbench.js';
import { runScript, timeScript } from './pgbench.js';

export const ceilingName = 'ceiling';
export const ceilingGiven =
  'pgbench over TCP, simple protocol; drain: 2 clients, batches of 500, settle and next claim in one statement and one commit';

const batch = 500;
const drainClients = 2;
const nothingYet = { tids: '{}', at: '-infinity', id: 0 };

/** What an enqueue may be, as pgbench is given it. */
export interface CeilingEnqueue {
  readonly script: 'enqueue' | 'enqueue_one' | 'enqueue_in_transaction';
  readonly clients: number;
  readonly rows: number;
  readonly calls: number;
  /** JSON without a quote in it. */
  readonly args: string;
}

/** The same row writes as a queue makes, as fast as SQL alone can; shares no code with any system on the bench. */
export async function prepareCeiling(database: BenchDatabase): Promise<void> {
  await database.client.query(await readFile(new URL('../../ceiling/tables.sql', import.meta.url), 'utf8'));
}

export async function preloadCeiling(database: BenchDatabase, jobs: number): Promise<void> {
  const variables = { rows: batch, args: '{}' };
  await runScript(database, { name: 'enqueue', clients: 1, transactionsPerClient: jobs / batch, variables });
}

/** @param jobs a multiple of two batches: each client takes exactly its share */
export function drainCeiling(database: BenchDatabase, jobs: number, keep: Keep): Promise<ScriptResult> {
  const batches = jobs / batch / drainClients;
  return runScript(database, {
    name: keep === 'kept' ? 'drain' : 'drain_unkept',
    clients: drainClients,
    transactionsPerClient: batches + 1,
    variables: { ...nothingYet, batches, batch: 0 },
  });
}

export function enqueueCeiling(database: BenchDatabase, enqueue: CeilingEnqueue): Promise<ScriptResult> {
  const { script, clients, rows, calls, args } = enqueue;
  const transactionsPerClient = Math.ceil(calls / clients);
  return runScript(database, { name: script, clients, transactionsPerClient, variables: { rows, args } });
}

/** @returns for each job how long it took to store and claim it, in ms */
export function startCeiling(database: BenchDatabase, jobs: number, perSecond: number): Promise<number[]> {
  const script = {
    name: 'start',
    clients: 1,
    transactionsPerClient: jobs,
    variables: nothingYet,
    rate: perSecond,
  };
  return timeScript(database, script);
}

/** @returns what is wrong, in words */
export async function checkCeiling(
  { client }: BenchDatabase,
  { live, finished }: Omit<Expected, 'attempts'>,
): Promise<string[]> {
  const { rows } = await client.query<Record<string, number>>(
    `select (select count(*) from ceiling.job)::integer as live, (select count(distinct id) from ceiling.finished)::integer as finished,
       (select count(*) from ceiling.finished where claim_no <> 1)::integer as odd`,
  );
  return Object.entries({ live, finished, odd: 0 })
    .filter(([name, count]) => rows[0]?.[name] !== count)
    .map(([name, count]) => `${name}: ${String(rows[0]?.[name])} rows instead of ${count}`);
}
