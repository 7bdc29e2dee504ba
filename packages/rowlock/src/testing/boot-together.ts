import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Database } from '../db/executor.js';
import { isAtTheGate, type Gate } from './gate.js';
import { rawStatement } from './raw-statement.js';
import { until } from './until.js';

const program = fileURLToPath(new URL('boot-process.js', import.meta.url));
const migrating = rawStatement(`select application_name from pg_stat_activity where ${isAtTheGate}`);
/** The server would see it within seconds: too late, for the next one waits for the lock of the migration. */
const endSessionOf = rawStatement(
  'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = $1',
);

export interface BootOptions {
  /** What the processes connect to. */
  readonly url: string;
  readonly schema: string;
  /** At which they migrate; opened once those are killed that shall be. */
  readonly gate: Gate;
  /** Watches the server itself. */
  readonly observer: Database;
  readonly processes: number;
  /** How many of them are killed while they migrate. */
  readonly kills: number;
}

/** Boots all processes at once on one database; @returns how each that was not killed ended, as `code: what it said` */
export async function bootTogether({
  url,
  schema,
  gate,
  observer,
  processes,
  kills,
}: BootOptions): Promise<string[]> {
  const children = new Map<string, ChildProcess>();
  const endings: Promise<string>[] = [];
  for (let n = 0; n < processes; n++) {
    const child = spawn(process.execPath, [program, url, schema], {
      env: { ...process.env, PGAPPNAME: `boot_${String(n)}` },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    children.set(`boot_${String(n)}`, child);
    endings.push(endingOf(child));
  }
  const killed = new Set<string>();
  while (killed.size < kills) killed.add(await killWhoMigrates(children, observer, killed));
  await gate.open();
  const all = await Promise.all(endings);
  return all.filter((_, n) => !killed.has(`boot_${String(n)}`));
}

async function killWhoMigrates(
  children: ReadonlyMap<string, ChildProcess>,
  observer: Database,
  killed: ReadonlySet<string>,
): Promise<string> {
  const found = await until(
    async () => {
      const rows = await observer.run(migrating, []);
      return rows.map(([name]) => name ?? '').find((name) => children.has(name) && !killed.has(name));
    },
    { timeoutMs: 30_000, what: 'a process migrates' },
  );
  children.get(found)?.kill('SIGKILL');
  await observer.run(endSessionOf, [found]);
  return found;
}

async function endingOf(child: ChildProcess): Promise<string> {
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
  await once(child, 'close');
  return `${String(child.exitCode ?? child.signalCode)}: ${said}`;
}
