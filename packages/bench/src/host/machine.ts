import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { arch, availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os';
import type { Client } from 'pg';
import { version as rowlockVersion } from 'rowlock';
import { pgbenchProgram } from '../ceiling/pgbench.js';

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly system: string;
  /** Of the minute before the lane began. */
  readonly load: number;
}

export interface Versions {
  readonly rowlock: string;
  readonly commit: string;
  readonly postgresql: string;
  readonly node: string;
  readonly pg: string;
  readonly pgbench: string;
}

export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${release()} ${arch()}`,
    load: loadavg()[0] ?? NaN,
  };
}

export async function describeVersions(client: Client): Promise<Versions> {
  const { rows } = await client.query<{ server_version: string }>('show server_version');
  return {
    rowlock: rowlockVersion,
    commit: answerOf('git', ['describe', '--always', '--dirty', '--abbrev=12']),
    postgresql: rows[0]?.server_version ?? 'unknown',
    node: process.version,
    pg: versionOfDriver(),
    pgbench: /[\d.]+/.exec(answerOf(pgbenchProgram(), ['--version']))?.[0] ?? 'unknown',
  };
}

function versionOfDriver(): string {
  return (createRequire(import.meta.url)('pg/package.json') as { version: string }).version;
}

function answerOf(program: string, args: readonly string[]): string {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return 'unknown';
  }
}
