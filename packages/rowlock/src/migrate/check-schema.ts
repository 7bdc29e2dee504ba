import { namingDenial } from '../db/errors.js';
import type { Executor } from '../db/executor.js';
import { migrateApplied, migrateState } from '../sql/generated/statements.gen.js';
import { migrations } from '../sql/generated/migrations.gen.js';
import type { Migration } from '../sql/statement.js';
import {
  migrateCommand,
  planFor,
  requireCurrent,
  type AppliedMigration,
  type MigrationPlan,
} from './plan.js';

/** A database, or a transaction in it. */
export interface SchemaReader extends Executor {
  readonly schema: string;
}

/** What would be migrated. Takes no lock and changes nothing. */
export async function planMigrations(
  database: SchemaReader,
  known: readonly Migration[] = migrations,
): Promise<MigrationPlan> {
  const { schema } = database;
  const need = {
    to: `read schema ${JSON.stringify(schema)}`,
    remedy: `As its owner, run \`${migrateCommand(schema)} --grant ROLE\``,
  };
  return planFor(schema, known, await namingDenial(need, () => readApplied(database, schema)));
}

/** @throws SchemaMissingError, SchemaOutdatedError, SchemaTooNewError, MigrationChangedError, NotAllowedError */
export async function checkSchema(
  database: SchemaReader,
  known: readonly Migration[] = migrations,
): Promise<void> {
  requireCurrent(await planMigrations(database, known));
}

/** Empty where the schema was never migrated. */
export async function readApplied(executor: Executor, schema: string): Promise<AppliedMigration[]> {
  const [state] = await executor.run(migrateState, { schema });
  return state?.exists === true ? await executor.run(migrateApplied, {}) : [];
}
