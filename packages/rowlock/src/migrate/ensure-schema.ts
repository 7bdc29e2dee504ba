import type { MigrateMode } from '../config/options.js';
import type { Database } from '../db/executor.js';
import { checkSchema } from './check-schema.js';
import { migrate } from './migrate.js';

/** What a client does about the schema before its first use. */
export async function ensureSchema(database: Database, mode: MigrateMode): Promise<void> {
  if (mode === 'auto') await migrate(database);
  else if (mode === 'check') await checkSchema(database);
}
