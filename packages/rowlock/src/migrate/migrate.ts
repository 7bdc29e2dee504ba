import { mayPass } from '../db/errors.js';
import type { Database, Executor } from '../db/executor.js';
import { retryForever } from '../runtime/retry.js';
import { systemClock, type Clock } from '../runtime/clock.js';
import { migrations } from '../sql/generated/migrations.gen.js';
import {
  migrateLock,
  migratePrepare,
  migrateRecord,
  migrateSeal,
  migrateSettings,
  migrateWait,
} from '../sql/generated/statements.gen.js';
import type { Migration } from '../sql/statement.js';
import { planMigrations, readApplied } from './check-schema.js';
import { grantText, recordOf } from './export-sql.js';
import { planFor, type MigrationPlan } from './plan.js';
import { script } from './script.js';

export interface MigrateOptions {
  /** Says what would be applied and changes nothing. @defaultValue false */
  readonly dryRun?: boolean | undefined;
  /** How long other processes' locks and lost connections are put up with, in milliseconds. @defaultValue 120000 */
  readonly patience?: number;
  readonly migrations?: readonly Migration[];
  readonly clock?: Clock;
}

export interface MigrationReport {
  readonly schema: string;
  /** Applied by this call; with `dryRun` what would be. */
  readonly applied: readonly { readonly version: number; readonly name: string }[];
  /** The newest migration of the database before the call, 0 for none. */
  readonly databaseVersion: number;
  readonly codeVersion: number;
}

/** Longest single migration statement, in milliseconds. */
const migrationTimeLimit = 30 * 60_000;

/**
 * Brings the schema up to this version: all pending migrations in one transaction, one process at a time.
 * @throws MigrationChangedError, SchemaTooNewError
 */
export async function migrate(database: Database, options: MigrateOptions = {}): Promise<MigrationReport> {
  const { dryRun = false, migrations: known = migrations, patience = 120_000, clock = systemClock } = options;
  // Without a lock: most processes that boot find nothing to do, and may not have the right to do it.
  const plan = await planMigrations(database, known);
  if (dryRun || plan.pending.length === 0) return reportOf(plan);
  const end = clock.now() + patience;
  return await retryForever(() => applyPending(database, known), {
    clock,
    mayPass: (error) => clock.now() < end && mayPass(error),
  });
}

/** Gives a role the rights of {@link grantSql}. */
export async function grantRunTimeRights(database: Database, role: string): Promise<void> {
  await database.transaction((tx) => tx.run(script('grant', grantText(role)), {}));
}

async function applyPending(database: Database, known: readonly Migration[]): Promise<MigrationReport> {
  const { schema } = database;
  const work = async (tx: Executor): Promise<MigrationReport> => {
    await tx.run(migrateWait, {});
    await tx.run(migrateLock, { schema });
    // Read after the lock is ours: another process may have migrated meanwhile.
    const plan = planFor(schema, known, await readApplied(tx, schema));
    if (plan.pending.length > 0) await apply(tx, plan.pending);
    return reportOf(plan);
  };
  return await database.transaction(work, { callTimeLimit: migrationTimeLimit });
}

async function apply(tx: Executor, pending: readonly Migration[]): Promise<void> {
  await tx.run(migrateSettings, {});
  await tx.run(migratePrepare, {});
  for (const migration of pending) {
    await tx.run(script(migration.name, migration.text), {});
    await tx.run(migrateRecord, recordOf(migration));
  }
  await tx.run(migrateSeal, {});
}

function reportOf({ schema, pending, databaseVersion, codeVersion }: MigrationPlan): MigrationReport {
  const applied = pending.map(({ version, name }) => ({ version, name }));
  return { schema, applied, databaseVersion, codeVersion };
}
