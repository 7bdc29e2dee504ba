import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { openDatabase } from '../db/database.js';
import type { Database } from '../db/executor.js';
import { until } from './until.js';

export interface TestDatabaseOptions {
  /** A clone of the template that has every migration, or else an empty database. @defaultValue true */
  readonly migrated?: boolean;
}

export interface TestDatabase {
  readonly url: string;
  readonly name: string;
  /** Drops the database, and rejects when a connection to it was left open: a test must close what it opened. */
  drop(): Promise<void>;
}

/** A database of its own for one test file, on the server that `npm test` has started. */
export async function createTestDatabase({
  migrated = true,
}: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const name = `rowlock_test_${String(process.pid)}_${randomBytes(4).toString('hex')}`;
  const template = migrated ? setting('ROWLOCK_TEST_TEMPLATE') : 'template0';
  await withAdmin((admin) => admin.query(`create database ${name} template ${template}`));
  const url = new URL(setting('ROWLOCK_TEST_URL'));
  url.pathname = `/${name}`;
  return { url: url.href, name, drop: () => withAdmin((admin) => dropClosed(admin, name)) };
}

/** For one test alone. */
export async function withTestDatabase(work: (database: Database) => Promise<void>): Promise<void> {
  const testDatabase = await createTestDatabase();
  const database = openDatabase({ connectionString: testDatabase.url });
  try {
    await work(database);
  } finally {
    await database.close();
    await testDatabase.drop();
  }
}

async function dropClosed(admin: pg.Client, name: string): Promise<void> {
  // A backend ends a moment after its client has closed the socket.
  const isClosed = async (): Promise<boolean> => (await openConnections(admin, name)).length === 0;
  await until(isClosed, { timeoutMs: 5000 }).catch(() => false);
  const left = await openConnections(admin, name);
  await admin.query(`drop database if exists ${name} with (force)`);
  if (left.length > 0)
    throw new Error(`${String(left.length)} connections were left open: ${left.join('; ')}`);
}

async function openConnections(admin: pg.Client, name: string): Promise<string[]> {
  const text = `select application_name || ' (' || coalesce(state, '') || ') ' || left(query, 80) as label
    from pg_stat_activity where datname = $1 and backend_type = 'client backend'`;
  const { rows } = await admin.query<{ label: string }>(text, [name]);
  return rows.map((row) => row.label);
}

async function withAdmin(work: (admin: pg.Client) => Promise<unknown>): Promise<void> {
  const admin = new pg.Client({ connectionString: setting('ROWLOCK_TEST_URL') });
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}

function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '')
    throw new Error(`${name} is not set: run the tests by \`npm test\`, which starts a server.`);
  return value;
}
