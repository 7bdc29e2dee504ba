import { parseArgs } from 'node:util';
import { checkConnectionString } from '../config/validate-client.js';
import { openDatabase } from '../db/database.js';
import type { Database } from '../db/executor.js';
import { messageOf } from '../job/message.js';
import { checkRole } from '../migrate/check-role.js';
import { checkSchema, planMigrations } from '../migrate/check-schema.js';
import { exportSql } from '../migrate/export-sql.js';
import { migrate } from '../migrate/migrate.js';
import { quoteIdentifier } from '../sql/render-schema.js';
import { UsageError, type ExitCode, type Terminal } from './terminal.js';

const usage = `Usage: rowlock migrate [options]

Creates or upgrades the schema in one transaction. Safe to run from many processes at once, and while workers run.

  --url URL       the database [DATABASE_URL, else PGHOST, PGUSER and their like]
  --schema NAME   the schema [rowlock]
  --dry-run       say what would be applied, change nothing
  --sql           print the SQL instead of running it: all of it, or with --dry-run what this database lacks
  --grant ROLE    also let ROLE run workers and enqueue: it can neither change tables nor empty them
  --check         only say whether this version of rowlock can work with the schema; exits with 1 if not`;

const options = {
  url: { type: 'string' },
  schema: { type: 'string' },
  'dry-run': { type: 'boolean' },
  sql: { type: 'boolean' },
  grant: { type: 'string' },
  check: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

interface MigrateArgs {
  readonly url: string | undefined;
  readonly schema: string | undefined;
  readonly role: string | undefined;
  readonly action: 'help' | 'check' | 'print-all' | 'print-missing' | 'plan' | 'migrate';
}

export async function migrateCommand(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const parsed = parse(args, terminal);
  if (parsed.action === 'help') terminal.out(usage);
  else if (parsed.action === 'print-all') printSql(0, parsed, terminal);
  else await withDatabase(parsed, (database) => act(database, parsed, terminal));
  return 0;
}

async function act(database: Database, parsed: MigrateArgs, terminal: Terminal): Promise<void> {
  const { action, role } = parsed;
  if (action === 'check') {
    await checkSchema(database);
    terminal.out(`Schema ${name(database)} is up to date.`);
  } else if (action === 'print-missing') {
    printSql((await planMigrations(database)).databaseVersion, parsed, terminal);
  } else {
    const { applied } = await migrate(database, { dryRun: action === 'plan', grant: role });
    const verb = action === 'plan' ? 'Would apply' : 'Applied';
    for (const migration of applied)
      terminal.out(`${verb} migration ${migration.version} (${migration.name}) to schema ${name(database)}.`);
    if (applied.length === 0) terminal.out(`Schema ${name(database)} is up to date.`);
    if (role === undefined) return;
    const mood = action === 'plan' ? 'Would let' : 'Let';
    terminal.out(`${mood} role ${JSON.stringify(role)} work with schema ${name(database)}.`);
  }
}

function printSql(from: number, { schema, role }: MigrateArgs, terminal: Terminal): void {
  terminal.out(exportSql({ schema, from, grant: role }));
}

async function withDatabase(
  { url, schema }: MigrateArgs,
  work: (database: Database) => Promise<void>,
): Promise<void> {
  const database = openDatabase({ connectionString: url, schema, maxConnections: 1 });
  try {
    await work(database);
  } finally {
    await database.close();
  }
}

function parse(args: readonly string[], { env }: Terminal): MigrateArgs {
  const values = parseStrictly(args);
  const { schema, grant: role, check = false, sql = false, 'dry-run': dryRun = false } = values;
  if (check && (sql || dryRun || role !== undefined))
    throw new UsageError(`--check goes with --url and --schema only.\n\n${usage}`);
  if (schema !== undefined) checked(() => quoteIdentifier(schema), '--schema: ');
  if (role !== undefined) checked(() => checkRole(role, '--grant'));
  const action = actionOf({ help: values.help, check, sql, dryRun });
  const isOffline = action === 'help' || action === 'print-all';
  return { url: isOffline ? undefined : urlOf(values.url, env['DATABASE_URL']), schema, role, action };
}

function actionOf(flags: {
  help: boolean | undefined;
  check: boolean;
  sql: boolean;
  dryRun: boolean;
}): MigrateArgs['action'] {
  if (flags.help === true) return 'help';
  if (flags.check) return 'check';
  if (flags.sql) return flags.dryRun ? 'print-missing' : 'print-all';
  return flags.dryRun ? 'plan' : 'migrate';
}

/** An empty one is refused too: it comes from a variable that is not set, and would mean another database. */
function urlOf(given: string | undefined, fromEnvironment: string | undefined): string | undefined {
  const url = given ?? fromEnvironment;
  if (url !== undefined)
    checked(() => checkConnectionString(url, given === undefined ? 'DATABASE_URL' : '--url'));
  return url;
}

function checked(check: () => unknown, prefix = ''): void {
  try {
    check();
  } catch (error) {
    throw new UsageError(`${prefix}${messageOf(error)}`);
  }
}

function parseStrictly(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, strict: true }).values;
  } catch (error) {
    throw new UsageError(`${messageOf(error)}\n\n${usage}`);
  }
}

function name(database: Database): string {
  return JSON.stringify(database.schema);
}
