import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openDatabase, type Database } from '../db/database.js';
import { bootTogether } from '../testing/boot-together.js';
import { createTestDatabase, type TestDatabase } from '../testing/database.js';
import { slowMigrations } from '../testing/test-migration.js';
import { checkSchema } from './check-schema.js';

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
