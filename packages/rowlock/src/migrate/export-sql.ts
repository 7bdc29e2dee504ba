import { databaseDefaults } from '../db/defaults.js';
import { checkOptions } from '../job/check.js';
import {
  beginTransaction,
  commitTransaction,
  grantRunTimeRole,
  migrateLock,
  migratePrepare,
  migrateRecord,
  migrateSeal,
  migrateSettings,
} from '../sql/generated/statements.gen.js';
import { migrations } from '../sql/generated/migrations.gen.js';
import { quoteIdentifier, quoteLiteral, renderSchema } from '../sql/render-schema.js';
import type { Migration, Statement } from '../sql/statement.js';
import { checkRole } from './check-role.js';
import { minCompatible } from './plan.js';

export interface ExportOptions {
  /** @defaultValue 'rowlock' */
  readonly schema?: string | undefined;
  /** The newest migration that the database has. @defaultValue 0: it has none */
  readonly from?: number | undefined;
  /** A role that gets the rights of {@link grantSql} in the same transaction. */
  readonly grant?: string | undefined;
  readonly migrations?: readonly Migration[];
}

/** The migrations as one transaction for psql or another migration tool; `migrate` then finds nothing left to do. */
export function exportSql({
  schema = databaseDefaults.schema,
  from = 0,
  grant,
  migrations: known = migrations,
}: ExportOptions = {}): string {
  const pending = known.filter(({ version }) => version > from);
  const parts = [
    beginTransaction.text,
    withLiterals(migrateLock, { schema }),
    renderSchema(migrateSettings.text, schema),
    renderSchema(migratePrepare.text, schema),
    ...pending.flatMap((migration) => [
      renderSchema(migration.text, schema),
      renderSchema(withLiterals(migrateRecord, recordOf(migration)), schema),
    ]),
    renderSchema(migrateSeal.text, schema),
    ...(grant === undefined ? [] : [renderSchema(grantText(grant), schema)]),
    commitTransaction.text,
  ];
  return parts.map((part) => `${part.trim().replace(/;$/, '')};\n`).join('\n');
}

export interface GrantOptions {
  /** @defaultValue 'rowlock' */
  readonly schema?: string | undefined;
  /** The role that workers and producers connect as. */
  readonly role: string;
}

/**
 * Lets a role work with the schema, but neither change its tables nor empty them.
 * @throws `CONFIG_INVALID`
 */
export function grantSql(options: GrantOptions): string {
  checkOptions(options, '', ['schema', 'role']);
  const { schema = databaseDefaults.schema, role } = options;
  checkRole(role, 'role');
  return `${renderSchema(grantText(role), schema)};\n`;
}

/** Still with the schema as the files write it. */
export function grantText(role: string): string {
  return grantRunTimeRole.text.replaceAll(/\brun_time_role\b/g, () => quoteIdentifier(role));
}

export function recordOf(migration: Migration) {
  const { version, name, hash } = migration;
  return { version, name, hash, minCompatible: minCompatible(migration) };
}

function withLiterals<Params, Row>(statement: Statement<Params, Row>, params: Params): string {
  const values = statement.encode(params);
  return statement.text.replaceAll(/\$(\d+)/g, (_, position: string) => {
    const value = values[Number(position) - 1];
    return typeof value === 'string' ? quoteLiteral(value) : String(value);
  });
}
