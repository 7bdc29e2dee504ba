import { migrateCommand } from './migrate-command.js';
import { version } from '../version.js';
import { UsageError, type ExitCode, type Terminal } from './terminal.js';

const usage = `Usage: rowlock <command> [options]

Commands:
  migrate      create or upgrade the Rowlock schema of a database

Options:
  --help       this text; after a command, its options
  --version    the version of rowlock

The database is --url URL, or DATABASE_URL, or what PGHOST, PGUSER and their like say.`;

const commands = new Map([['migrate', migrateCommand]]);

/** Runs one command line, without touching the process. */
export async function runCli(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  try {
    return await runCommand(args, terminal);
  } catch (error) {
    terminal.err(describe(error));
    return error instanceof UsageError ? 2 : 1;
  }
}

async function runCommand(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const [name, ...rest] = args;
  if (name === '--version') {
    terminal.out(version);
    return 0;
  }
  if (name === '--help' || name === '-h' || name === 'help') {
    terminal.out(usage);
    return 0;
  }
  const command = name === undefined ? undefined : commands.get(name);
  if (command !== undefined) return await command(rest, terminal);
  throw new UsageError(
    `${name === undefined ? 'No command given' : `Unknown command ${JSON.stringify(name)}`}.\n\n${usage}`,
  );
}

/** One sentence with its code; the stack of a failure that nobody foresaw. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof UsageError) return error.message;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return code === undefined ? (error.stack ?? error.message) : `${code}: ${error.message}`;
}
