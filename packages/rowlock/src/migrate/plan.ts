import { databaseDefaults } from '../db/defaults.js';
import {
  MigrationChangedError,
  SchemaMissingError,
  SchemaOutdatedError,
  SchemaTooNewError,
} from '../job/errors.js';
import type { Migration } from '../sql/statement.js';

/** A migration as the database remembers it. */
export interface AppliedMigration {
  readonly version: number;
  readonly name: string;
  readonly hash: string;
  /** Oldest version of the code that works beside it. */
  readonly minCompatible: number;
}

/** What lies between a database and this version of the code. */
export interface MigrationPlan {
  readonly schema: string;
  /** Oldest first; empty when the database is up to date, or newer and compatible. */
  readonly pending: readonly Migration[];
  /** The newest migration of the database, 0 for none. */
  readonly databaseVersion: number;
  /** The newest migration of this code. */
  readonly codeVersion: number;
}

const compatibleLine = /^-- compatible: (\d+)\s*$/m;

/** Oldest version of the code that works beside the migration; unless its text says so, only its own. */
export function minCompatible({ version, text }: Migration): number {
  return Number(compatibleLine.exec(text)?.[1] ?? version);
}

/** @throws MigrationChangedError, SchemaTooNewError: nothing that this code could add would make the database right */
export function planFor(
  schema: string,
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
): MigrationPlan {
  const databaseVersion = Math.max(0, ...applied.map(({ version }) => version));
  const codeVersion = Math.max(0, ...known.map(({ version }) => version));
  const byVersion = new Map(applied.map((migration) => [migration.version, migration]));
  for (const migration of known) checkUnchanged(schema, migration, byVersion.get(migration.version));
  for (const migration of applied) checkCompatible(schema, codeVersion, migration);
  const pending = known.filter(({ version }) => !byVersion.has(version));
  const [oldest] = pending;
  if (oldest !== undefined && oldest.version < databaseVersion) {
    throw new MigrationChangedError(
      `Schema ${quoted(schema)} is at migration ${databaseVersion} but migration ${oldest.version} (${oldest.name}) was never applied`,
    );
  }
  return { schema, pending, databaseVersion, codeVersion };
}

/** @throws SchemaMissingError, SchemaOutdatedError */
export function requireCurrent({ schema, pending, databaseVersion, codeVersion }: MigrationPlan): void {
  if (pending.length === 0) return;
  if (databaseVersion === 0) {
    throw new SchemaMissingError(
      `The database has no Rowlock schema ${quoted(schema)}: run \`${migrateCommand(schema)}\`, or set migrate: 'auto'`,
    );
  }
  throw new SchemaOutdatedError(
    `Schema ${quoted(schema)} is at migration ${databaseVersion}, this version of rowlock needs ${codeVersion}: run \`${migrateCommand(schema)}\``,
  );
}

function checkUnchanged(schema: string, known: Migration, applied: AppliedMigration | undefined): void {
  if (applied === undefined || applied.hash === known.hash) return;
  throw new MigrationChangedError(
    `Migration ${known.version} (${known.name}) was changed after it was applied to schema ${quoted(schema)} as ${applied.name}`,
  );
}

function checkCompatible(schema: string, codeVersion: number, applied: AppliedMigration): void {
  if (applied.version <= codeVersion || applied.minCompatible <= codeVersion) return;
  throw new SchemaTooNewError(
    `Schema ${quoted(schema)} is at migration ${applied.version}, which needs code that knows migration ${applied.minCompatible}; ` +
      `this version of rowlock knows ${codeVersion}: upgrade it`,
  );
}

/** As a shell takes it. */
export function migrateCommand(schema: string): string {
  const named = schema === databaseDefaults.schema ? '' : ` --schema '${schema.replaceAll("'", `'\\''`)}'`;
  return `npx rowlock migrate${named}`;
}

function quoted(schema: string): string {
  return JSON.stringify(schema);
}
