// The server of a test run, with a migrated template that each test file clones.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './workspace.mjs';

/** What a crash of the machine would lose does not matter here; a crash of the server loses nothing. */
const settings = { fsync: 'off', full_page_writes: 'off', max_connections: '300' };

async function load(path) {
  const file = join(root, path);
  return existsSync(file) ? import(pathToFileURL(file).href) : undefined;
}

async function admin(url, work) {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** As long as there is no client: the migrations as psql would run them. */
async function applyTexts(url) {
  const { migrations = [] } = (await load('packages/rowlock/dist/sql/generated/migrations.gen.js')) ?? {};
  await admin(url, async (client) => {
    await client.query('create schema if not exists rowlock');
    for (const migration of migrations) await client.query(migration.text);
  });
  return migrations.length > 0;
}

async function createTemplate({ url, urlFor }, name) {
  const { Rowlock } = (await load('packages/rowlock/dist/index.js')) ?? {};
  await admin(url, (client) => client.query(`create database ${name} template template0`));
  if (Rowlock === undefined) return applyTexts(urlFor(name));
  const rowlock = new Rowlock({ connectionString: urlFor(name) });
  try {
    await rowlock.migrate();
  } finally {
    await rowlock.close();
  }
  return true;
}

/** @returns `{ template, environment, stop() }`; `template` is the URL of the migrated database, the environment is what
 * `createTestDatabase` reads */
export async function startTestServer(major) {
  const { startServer } = (await load('packages/embedded/dist/index.js')) ?? {};
  if (startServer === undefined) {
    console.log('@rowlock/embedded is not built: tests that need a server fail.');
    return { template: undefined, environment: {}, stop: async () => {} };
  }
  const server = await startServer({ settings, ...(major === undefined ? {} : { major }) });
  const template = `rowlock_template_${process.pid}`;
  const stop = async () => {
    await admin(server.url, (client) => client.query(`drop database if exists ${template} with (force)`));
    await server.stop();
  };
  try {
    const isMigrated = await createTemplate(
      { url: server.url, urlFor: (name) => server.urlFor(name) },
      template,
    );
    const environment = { ROWLOCK_TEST_URL: server.url, ROWLOCK_TEST_TEMPLATE: isMigrated ? template : '' };
    return { template: isMigrated ? server.urlFor(template) : undefined, environment, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
