// A process that boots: `boot-process.js URL SCHEMA` migrates and exits with 0, or says why not.
import { migrate } from '../migrate/migrate.js';
import { slowMigrations } from './test-migration.js';

const [url = '', schema = ''] = process.argv.slice(2);
try {
  await migrate(url, { schema, migrations: slowMigrations });
} catch (error) {
  process.stderr.write(String(error));
  process.exitCode = 1;
}
