import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openDatabase } from '../db/database.js';
import type { Database } from '../db/executor.js';
import { bootTogether } from '../testing/boot-together.js';
import { createTestDatabase, type TestDatabase } from '../testing/database.js';
import { rawStatement } from '../testing/raw-statement.js';
import { slowMigrations } from '../testing/test-migration.js';
import { until } from '../testing/until.js';
import { checkSchema } from './check-schema.js';
import { migrate } from './migrate.js';

let server: TestDatabase;
let observer: Database;

before(async () => {
  server = await createTestDatabase({ migrated: false });
  observer = openDatabase({ connectionString: server.url, schema: 'boot', maxConnections: 1 });
});

after(async () => {
  await observer.close();
  await server.drop();
});

test('twenty processes boot at once on an empty database; three are killed while they migrate', async () => {
  const endings = await bootTogether({ url: server.url, schema: 'boot', observer, processes: 20, kills: 3 });
  assert.deepEqual(
    endings,
    Array.from({ length: 17 }, () => '0: '),
  );
  await checkSchema(observer, slowMigrations);
});

test('a process that loses its connection in the middle of the migration tries again', async () => {
  const database = openDatabase({ connectionString: server.url, schema: 'terminated', maxConnections: 1 });
  const migrating = migrate(database, { migrations: slowMigrations });
  const terminate = rawStatement(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like '%pg_sleep(0.4)%' and pid <> pg_backend_pid()`,
  );
  await until(async () => (await observer.run(terminate, [])).length > 0);
  assert.equal((await migrating).applied.length, 2);
  await database.close();
});
