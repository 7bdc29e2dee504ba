import { HarnessDatabase } from '../database.js';

export interface TestDatabase {
  readonly url: string;
  readonly database: HarnessDatabase;
  drop(): Promise<void>;
}

/** A clone of the migrated template, on the server that `npm test` has started. */
export async function createTestDatabase(name: string): Promise<TestDatabase> {
  const { ROWLOCK_TEST_URL: serverUrl, ROWLOCK_TEST_TEMPLATE: template } = process.env;
  if (serverUrl === undefined || template === undefined)
    throw new Error('run the tests by `npm test`, which starts a server');
  const admin = new HarnessDatabase(serverUrl, 1);
  const own = `chaos_test_${name}_${process.pid}`;
  await admin.rows(`create database ${own} template ${template}`);
  const url = new URL(serverUrl);
  url.pathname = `/${own}`;
  const database = new HarnessDatabase(url.href);
  const drop = async (): Promise<void> => {
    await database.close();
    await admin.rows(`drop database ${own} with (force)`);
    await admin.close();
  };
  return { url: url.href, database, drop };
}
