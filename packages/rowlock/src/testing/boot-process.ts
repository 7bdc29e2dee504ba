// A process that boots: `boot-process.js URL SCHEMA` migrates and exits with 0, or says why not.
import { openDatabase } from '../db/database.js';
import { migrate } from '../migrate/migrate.js';
import { gatedMigrations } from './test-migration.js';

const [url = '', schema = ''] = process.argv.slice(2);
try {
  const database = openDatabase({ connectionString: url, schema, maxConnections: 1 });
  await migrate(database, { migrations: gatedMigrations });
  await database.close();
} catch (error) {
  process.stderr.write(String(error));
  process.exitCode = 1;
}
