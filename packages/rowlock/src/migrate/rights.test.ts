import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openDatabase } from '../db/database.js';
import type { Database } from '../db/executor.js';
import { createTestDatabase, type TestDatabase } from '../testing/database.js';
import { rawStatement } from '../testing/raw-statement.js';
import { breakingMigration, firstMigration, secondMigration } from '../testing/test-migration.js';
import { checkSchema } from './check-schema.js';
import { migrate } from './migrate.js';

const first = [firstMigration];
const both = [firstMigration, secondMigration];
const schema = 'least "rights"';
const denied = { code: '42501' };

let server: TestDatabase;
let owner: Database;
const roles = { migrator: '', worker: '', stranger: '', deputy: '' };

before(async () => {
  server = await createTestDatabase({ migrated: false });
  owner = openDatabase({ connectionString: server.url, maxConnections: 1 });
  for (const name of ['migrator', 'worker', 'stranger', 'deputy'] as const) {
    // Roles belong to the whole server; this one also wants quoting.
    roles[name] = `${server.name} ${name}"`;
    await owner.run(rawStatement(`create role ${quoted(roles[name])} login password 'secret'`), []);
  }
  await owner.run(rawStatement(`grant create on database ${server.name} to ${quoted(roles.migrator)}`), []);
});

after(async () => {
  for (const role of Object.values(roles)) {
    await owner.run(rawStatement(`drop owned by ${quoted(role)} cascade`), []);
    await owner.run(rawStatement(`drop role ${quoted(role)}`), []);
  }
  await owner.close();
  await server.drop();
});

function quoted(role: string): string {
  return `"${role.replaceAll('"', '""')}"`;
}

async function as(role: string, work: (database: Database) => Promise<void>): Promise<void> {
  const url = new URL(server.url);
  url.username = encodeURIComponent(role);
  url.password = 'secret';
  const database = openDatabase({ connectionString: url.href, schema, maxConnections: 1 });
  try {
    await work(database);
  } finally {
    await database.close();
  }
}

test('a role that may create schemas migrates; a run-time role works without DDL or TRUNCATE', async () => {
  await as(roles.migrator, async (database) => {
    await migrate(database, { migrations: first, grant: roles.worker });
  });
  await as(roles.worker, async (database) => {
    await checkSchema(database, first);
    await migrate(database, { migrations: first });
    await assert.rejects(checkSchema(database, both), { code: 'SCHEMA_OUTDATED' });
    for (const text of [
      "select rowlock.add_item('x')",
      "select nextval('rowlock.counter'), setval('rowlock.counter', 5)",
    ]) {
      await database.run(rawStatement(text), []);
    }
    await database.run(rawStatement('update rowlock.item set note = note'), []);
    await database.run(rawStatement('delete from rowlock.item'), []);
    await database.run(rawStatement('select rowlock.empty_items()'), []);
    const forbidden = [
      'truncate rowlock.item',
      'create table rowlock.mine (id int)',
      'alter table rowlock.item add column mine int',
      'drop table rowlock.item',
      'drop function rowlock.empty_items()',
      'delete from rowlock.migration',
      'insert into rowlock.migration values (9, $$x$$, $$y$$, 1)',
    ];
    for (const text of forbidden) await assert.rejects(database.run(rawStatement(text), []), denied, text);
    await assert.rejects(migrate(database, { migrations: both }), {
      code: 'NOT_ALLOWED',
      message:
        /may not migrate schema "least \\"rights\\"": permission denied for schema least "rights"\. Migrate as/,
    });
  });
});

test('what a later migration adds is open to the run-time role at once', async () => {
  await as(roles.migrator, async (database) => {
    await migrate(database, { migrations: both });
  });
  await as(roles.worker, async (database) => {
    await database.run(rawStatement('insert into rowlock.later values (1)'), []);
    await checkSchema(database, both);
  });
});

test('everybody else sees nothing', async () => {
  await as(roles.stranger, async (database) => {
    for (const text of [
      'select from rowlock.item',
      "select rowlock.add_item('x')",
      'select rowlock.empty_items()',
      "select nextval('rowlock.counter')",
    ]) {
      await assert.rejects(database.run(rawStatement(text), []), denied, text);
    }
    await assert.rejects(migrate(database, { migrations: both }), {
      code: 'NOT_ALLOWED',
      message: /may not read schema .*: permission denied for schema/,
    });
  });
});

test('migrations and grant are one: where the role is missing nothing is done', async () => {
  await as(roles.migrator, async (database) => {
    const pending = { migrations: [...both, breakingMigration], grant: 'nobody is called so' };
    await assert.rejects(migrate(database, pending), {
      code: 'ROLE_MISSING',
      message: /^role "nobody is called so" does not exist, so nothing was changed: .*create role/,
    });
    await checkSchema(database, both);
    assert.equal(
      (await migrate(database, { migrations: pending.migrations, dryRun: true })).applied.length,
      1,
    );
    await assert.rejects(migrate(database, { migrations: both, grant: 'x'.repeat(64) }), {
      code: 'CONFIG_INVALID',
    });
  });
});

test('a grant by a role that may not grant, which the server only warns of, is refused', async () => {
  await as(roles.worker, async (database) => {
    await assert.rejects(migrate(database, { migrations: both, grant: roles.stranger }), {
      code: 'NOT_ALLOWED',
      message: /may not grant rights in schema "least \\"rights\\"": grant as its owner$/,
    });
  });
});

test('a grant by a role that may grant all but one thing is refused too', async () => {
  const deputy = quoted(roles.deputy);
  const lacking = [
    'delete on table rowlock.item',
    'usage on sequence rowlock.counter',
    'execute on function rowlock.add_item(text)',
  ];
  for (const right of lacking) {
    await as(roles.migrator, async (database) => {
      for (const all of [
        'usage, create on schema rowlock',
        'select, insert, update, delete on all tables in schema rowlock',
        'usage, select, update on all sequences in schema rowlock',
        'execute on all routines in schema rowlock',
      ])
        await database.run(rawStatement(`grant ${all} to ${deputy} with grant option`), []);
      await database.run(rawStatement(`revoke grant option for ${right} from ${deputy} cascade`), []);
    });
    await as(roles.deputy, async (database) => {
      await assert.rejects(
        migrate(database, { migrations: both, grant: roles.stranger }),
        { code: 'NOT_ALLOWED', message: /may not grant rights/ },
        right,
      );
    });
  }
});

test('a role that may create nothing is told so, and what helps', async () => {
  const url = new URL(server.url);
  url.username = encodeURIComponent(roles.stranger);
  url.password = 'secret';
  const database = openDatabase({ connectionString: url.href, schema: 'not there', maxConnections: 1 });
  await assert.rejects(migrate(database), {
    code: 'NOT_ALLOWED',
    message: /may not migrate schema "not there": permission denied for database .*may create schemas$/,
  });
  await database.close();
});
