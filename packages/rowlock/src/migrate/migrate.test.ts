import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client } from 'pg';
import { openDatabase } from '../db/database.js';
import type { Database } from '../db/executor.js';
import { createTestDatabase, type TestDatabase } from '../testing/database.js';
import { rawStatement } from '../testing/raw-statement.js';
import {
  breakingMigration,
  firstMigration,
  secondMigration,
  testMigration,
} from '../testing/test-migration.js';
import { until } from '../testing/until.js';
import { checkSchema } from './check-schema.js';
import { exportSql } from './export-sql.js';
import { migrate, type MigrateOptions, type MigrationReport } from './migrate.js';

const first = [firstMigration];
const both = [firstMigration, secondMigration];
const all = [...both, breakingMigration];

const schemas = rawStatement('select nspname from pg_namespace where nspname = $1');
const addItem = rawStatement("select rowlock.add_item('x')");
/** Every object of a schema with its rights, written without the name of the schema. */
const objects =
  rawStatement(`select regexp_replace(format('%s %s %s', c.relkind, c.relname, c.relacl), '"?' || current_user || '"?', 'me', 'g') from pg_class c where c.relnamespace = to_regnamespace(quote_ident($1))
  union all select format('%s %s', p.proname, p.proacl) from pg_proc p where p.pronamespace = to_regnamespace(quote_ident($1)) order by 1`);

let server: TestDatabase;
let admin: Database;

before(async () => {
  server = await createTestDatabase({ migrated: false });
  admin = openDatabase({ connectionString: server.url });
});

after(async () => {
  await admin.close();
  await server.drop();
});

async function inSchema<T>(schema: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = openDatabase({ connectionString: server.url, schema, maxConnections: 2 });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

function migrateIn(schema: string, options: MigrateOptions): Promise<MigrationReport> {
  return inSchema(schema, (database) => migrate(database, options));
}

test('a database is migrated once, step by step, and then found up to date', async () => {
  await inSchema('steps', async (database) => {
    await assert.rejects(checkSchema(database, first), { code: 'SCHEMA_MISSING' });
    assert.deepEqual((await migrate(database, { migrations: first })).applied, [
      { version: 1, name: 'test_1' },
    ]);
    await checkSchema(database, first);
    await assert.rejects(checkSchema(database, both), { code: 'SCHEMA_OUTDATED' });
    const report = await migrate(database, { migrations: all });
    assert.deepEqual(
      [report.applied.map(({ version }) => version), report.databaseVersion, report.codeVersion],
      [[2, 3], 1, 3],
    );
    assert.deepEqual((await migrate(database, { migrations: all })).applied, []);
  });
});

test('old code runs on beside a newer compatible schema, and refuses an incompatible one', async () => {
  await inSchema('newer', async (database) => {
    await migrate(database, { migrations: both });
    await checkSchema(database, first);
    assert.deepEqual((await migrate(database, { migrations: first })).applied, []);
    await database.run(addItem, []);
    await migrate(database, { migrations: all });
    await assert.rejects(checkSchema(database, first), { code: 'SCHEMA_TOO_NEW' });
    await assert.rejects(migrate(database, { migrations: both }), { code: 'SCHEMA_TOO_NEW' });
  });
});

test('a migration that was edited after it was applied is refused', async () => {
  await inSchema('edited', async (database) => {
    await migrate(database, { migrations: first });
    const edited = [testMigration(1, `${firstMigration.text}-- edited\n`)];
    await assert.rejects(checkSchema(database, edited), { code: 'MIGRATION_CHANGED' });
    await assert.rejects(migrate(database, { migrations: edited }), { code: 'MIGRATION_CHANGED' });
  });
});

test('a migration that fails leaves nothing of the run behind', async () => {
  await inSchema('failing', async (database) => {
    const failing = [firstMigration, testMigration(2, 'select 1 / 0;\n')];
    await assert.rejects(migrate(database, { migrations: failing }), { code: '22012' });
    assert.deepEqual(await database.run(schemas, ['failing']), []);
  });
});

test('a dry run says what it would apply and changes nothing', async () => {
  const report = await migrateIn('dry', { dryRun: true, migrations: both });
  assert.deepEqual(
    report.applied.map(({ version }) => version),
    [1, 2],
  );
  assert.deepEqual(await admin.run(schemas, ['dry']), []);
});

test('any schema name works; one that PostgreSQL would cut is refused', async () => {
  const names = [
    'it\'s "quoted"',
    'with space',
    'Ünïcödé ☃',
    'a.b',
    '%I $$ $1',
    'back\\slash',
    'select',
    'x'.repeat(63),
    'é'.repeat(31),
  ];
  for (const schema of names) {
    await inSchema(schema, async (database) => {
      await migrate(database, { migrations: all });
      await checkSchema(database, all);
      assert.deepEqual(await database.run(schemas, [schema]), [[schema]]);
      assert.deepEqual(
        await database.run(
          rawStatement("select nextval('rowlock.counter'), to_regclass('rowlock.item') is null"),
          [],
        ),
        [['1', 'f']],
      );
    });
  }
  await assert.rejects(migrateIn('é'.repeat(32), {}), RangeError);
});

test('exported SQL does what migrate does, also from a version on and in any schema', async () => {
  const schema = 'ex"por\'ted';
  const client = new Client({ connectionString: server.url });
  await client.connect();
  try {
    await client.query(exportSql({ schema, migrations: first }));
    await client.query(exportSql({ schema, from: 1, migrations: all }));
    await assert.rejects(client.query(exportSql({ schema, migrations: first })));
    await client.query('rollback');
  } finally {
    await client.end();
  }
  await inSchema(schema, async (database) => {
    assert.deepEqual((await migrate(database, { migrations: all })).applied, []);
  });
  await migrateIn('migrated', { migrations: all });
  assert.deepEqual(await admin.run(objects, [schema]), await admin.run(objects, ['migrated']));
  assert.ok((await admin.run(objects, [schema])).length > 5);
});

test('a table in use is waited for in short turns, so that nobody queues behind the migration', async () => {
  await inSchema('busy', async (database) => {
    await migrate(database, { migrations: first });
    const blocked = rawStatement(
      "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and query like '%alter table%' and pid <> pg_backend_pid()",
    );
    await database
      .transaction(async (tx) => {
        await tx.run(rawStatement('select count(*) from rowlock.item'), []);
        const migrating = migrateIn('busy', { migrations: both });
        await until(async () => (await admin.run(blocked, []))[0]?.[0] === '1');
        // After its lock timeout it stands aside, and tries again.
        await until(async () => (await admin.run(blocked, []))[0]?.[0] === '0');
        return { migrating };
      })
      .then(async ({ migrating }) => assert.equal((await migrating).applied.length, 1));
  });
});

test('patience has an end', async () => {
  await inSchema('impatient', async (database) => {
    await migrate(database, { migrations: first });
    await database.transaction(async (tx) => {
      await tx.run(rawStatement('select count(*) from rowlock.item'), []);
      await assert.rejects(migrateIn('impatient', { migrations: both, patience: 1 }), {
        code: '55P03',
      });
    });
  });
});
