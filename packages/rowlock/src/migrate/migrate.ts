import { mayPass, namingDenial, sqlState } from '../db/errors.js';
import type { Database, Executor } from '../db/executor.js';
import { NotAllowedError, RoleMissingError } from '../job/errors.js';
import { messageOf } from '../job/message.js';
import { retryForever } from '../runtime/retry.js';
import { systemClock, type Clock } from '../runtime/clock.js';
import { migrations } from '../sql/generated/migrations.gen.js';
import {
  grantTook,
  migrateLock,
  migratePrepare,
  migrateRecord,
  migrateSeal,
  migrateSettings,
  migrateWait,
  roleExists,
} from '../sql/generated/statements.gen.js';
import type { Migration } from '../sql/statement.js';
import { checkRole } from './check-role.js';
import { planMigrations, readApplied } from './check-schema.js';
import { grantText, recordOf } from './export-sql.js';
import { planFor, type MigrationPlan } from './plan.js';
import { script } from './script.js';

export interface MigrateOptions {
  /** Says what would be applied and changes nothing. @defaultValue false */
  readonly dryRun?: boolean | undefined;
  /** A role that gets the rights of {@link grantSql} in the same transaction. */
  readonly grant?: string | undefined;
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
const undefinedObject = '42704';

/**
 * Brings the schema up to this version: all pending migrations in one transaction, one process at a time.
 * @throws MigrationChangedError, SchemaTooNewError, NotAllowedError, RoleMissingError
 */
export async function migrate(database: Database, options: MigrateOptions = {}): Promise<MigrationReport> {
  const { dryRun = false, migrations: known = migrations, patience = 120_000, clock = systemClock } = options;
  const { grant } = options;
  if (grant !== undefined) checkRole(grant, 'grant');
  // Without a lock: most processes that boot find nothing to do, and may not have the right to do it.
  const plan = await planMigrations(database, known);
  if (dryRun && grant !== undefined) await checkRoleExists(database, grant);
  if (dryRun || (plan.pending.length === 0 && grant === undefined)) return reportOf(plan);
  const end = clock.now() + patience;
  const need = {
    to: `migrate schema ${JSON.stringify(database.schema)}`,
    remedy: 'Migrate as its owner, or as a role that may create schemas',
  };
  return await namingDenial(need, () =>
    retryForever(() => applyPending(database, { known, grant }), {
      clock,
      mayPass: (error) => clock.now() < end && mayPass(error),
    }),
  );
}

interface Wanted {
  readonly known: readonly Migration[];
  readonly grant: string | undefined;
}

async function applyPending(database: Database, { known, grant }: Wanted): Promise<MigrationReport> {
  const { schema } = database;
  const work = async (tx: Executor): Promise<MigrationReport> => {
    await tx.run(migrateWait, {});
    await tx.run(migrateLock, { schema });
    // Read after the lock is ours: another process may have migrated meanwhile.
    const plan = planFor(schema, known, await readApplied(tx, schema));
    if (plan.pending.length > 0) await apply(tx, plan.pending);
    if (grant !== undefined) await grantTo(tx, schema, grant);
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

async function grantTo(tx: Executor, schema: string, role: string): Promise<void> {
  try {
    await tx.run(script('grant', grantText(role)), {});
  } catch (error) {
    if (sqlState(error) !== undefinedObject) throw error;
    throw roleMissing(messageOf(error), error);
  }
  const [row] = await tx.run(grantTook, { schema, role });
  if (row?.took === true) return;
  throw new NotAllowedError(
    `The role of this connection may not grant rights in schema ${JSON.stringify(schema)}: grant as its owner`,
  );
}

async function checkRoleExists(database: Executor, role: string): Promise<void> {
  const [row] = await database.run(roleExists, { role });
  if (row?.isThere !== true) throw roleMissing(`role "${role}" does not exist`);
}

function roleMissing(problem: string, cause?: unknown): RoleMissingError {
  const message = `${problem}, so nothing was changed: correct its name, or create it first with \`create role\``;
  return new RoleMissingError(message, cause === undefined ? undefined : { cause });
}

function reportOf({ schema, pending, databaseVersion, codeVersion }: MigrationPlan): MigrationReport {
  const applied = pending.map(({ version, name }) => ({ version, name }));
  return { schema, applied, databaseVersion, codeVersion };
}
