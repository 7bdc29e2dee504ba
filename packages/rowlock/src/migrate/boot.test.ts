import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openDatabase } from '../db/database.js';
import type { Database } from '../db/executor.js';
import { bootTogether } from '../testing/boot-together.js';
import { createTestDatabase, type TestDatabase } from '../testing/database.js';
import { Gate, isAtTheGate } from '../testing/gate.js';
import { rawStatement } from '../testing/raw-statement.js';
import { gatedMigrations } from '../testing/test-migration.js';
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
  const gate = await Gate.close(server.url);
  const endings = await bootTogether({
    url: server.url,
    schema: 'boot',
    gate,
    observer,
    processes: 20,
    kills: 3,
  });
  assert.deepEqual(
    endings,
    Array.from({ length: 17 }, () => '0: '),
  );
  await checkSchema(observer, gatedMigrations);
});

test('a process that loses its connection in the middle of the migration tries again', async () => {
  const database = openDatabase({ connectionString: server.url, schema: 'terminated', maxConnections: 1 });
  const gate = await Gate.close(server.url);
  const migrating = migrate(database, { migrations: gatedMigrations });
  const terminate = rawStatement(
    `select pg_terminate_backend(pid) from pg_stat_activity where ${isAtTheGate}`,
  );
  await until(async () => (await observer.run(terminate, [])).length > 0);
  await gate.open();
  assert.equal((await migrating).applied.length, 2);
  await database.close();
});
