import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { BenchDatabase } from '../host/bench-server.js';

const folder = fileURLToPath(new URL('../../ceiling/', import.meta.url));

export interface Script {
  /** A file in `ceiling/`, without its ending. */
  readonly name: string;
  readonly clients: number;
  readonly transactionsPerClient: number;
  readonly variables?: Readonly<Record<string, string | number>>;
  /** Transactions begun per second, over all clients; as many as possible otherwise. */
  readonly rate?: number;
}

export interface ScriptResult {
  readonly transactions: number;
  /** From the moment all clients are connected. */
  readonly seconds: number;
}

export function pgbenchProgram(): string {
  return process.env['PGBENCH'] ?? 'pgbench';
}

/** Runs a script in the simple protocol, over TCP like everybody else. */
export async function runScript(
  database: BenchDatabase,
  script: Script,
  extra: readonly string[] = [],
): Promise<ScriptResult> {
  const variables = Object.entries(script.variables ?? {}).flatMap(([name, value]) => [
    '-D',
    `${name}=${value}`,
  ]);
  const options = [
    ...['-h', '127.0.0.1', '-p', String(database.port), '-U', 'postgres', '-n', '-M', 'simple'],
    ...['-c', String(script.clients), '-j', String(Math.min(script.clients, 2))],
    ...['-t', String(script.transactionsPerClient), '-f', join(folder, `${script.name}.sql`)],
    ...(script.rate === undefined ? [] : ['-R', String(script.rate)]),
  ];
  return parseResult(await answerOf([...options, ...variables, ...extra, database.name]));
}

/** The same, with how long each transaction took, in ms, from when it was begun. */
export async function timeScript(database: BenchDatabase, script: Script): Promise<number[]> {
  const own = await mkdtemp(join(tmpdir(), 'rowlock-bench-'));
  try {
    await runScript(database, script, ['-l', '--log-prefix', join(own, 'log')]);
    const logs = await Promise.all((await readdir(own)).map((name) => readFile(join(own, name), 'utf8')));
    return logs.flatMap(parseLog);
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

/** @throws when transactions failed */
export function parseResult(output: string): ScriptResult {
  const transactions = Number(/^number of transactions actually processed: (\d+)/m.exec(output)?.[1]);
  const failed = Number(/^number of failed transactions: (\d+)/m.exec(output)?.[1] ?? 0);
  const perSecond = Number(/^tps = ([\d.]+) \(without initial connection time\)/m.exec(output)?.[1]);
  if (!(transactions > 0) || !(perSecond > 0) || failed > 0)
    throw new Error(`pgbench did not succeed:\n${output}`);
  return { transactions, seconds: transactions / perSecond };
}

/** Lines of `client transaction time script epoch us [lag]`: with a rate, the time counts from the schedule, lag included. */
export function parseLog(text: string): number[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(' ').map(Number))
    .map((fields) => ((fields[2] ?? NaN) - (fields[6] ?? 0)) / 1000);
}

async function answerOf(options: readonly string[]): Promise<string> {
  const program = pgbenchProgram();
  try {
    const { stdout } = await promisify(execFile)(program, options, { maxBuffer: 16 * 2 ** 20 });
    return stdout;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Error(
      `${program} was not found: the ceiling is measured by PostgreSQL's own pgbench (Debian: postgresql-contrib or ` +
        'postgresql-NN; macOS: libpq). Put it on the PATH, or name it in PGBENCH.',
      { cause: error },
    );
  }
}
