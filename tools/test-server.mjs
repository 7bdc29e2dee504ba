// The server of a test run, with a migrated template that each test file clones.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './workspace.mjs';

/** What a crash of the machine would lose does not matter here; a crash of the server loses nothing. */
const settings = { fsync: 'off', full_page_writes: 'off', max_connections: '300' };

async function load(path) {
  const file = join(root, path);
  if (!existsSync(file)) throw new Error(`${path} is not there: run \`npm run build\``);
  return import(pathToFileURL(file).href);
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

async function createTemplate({ url, urlFor }, name) {
  const { Rowlock } = await load('packages/rowlock/dist/index.js');
  await admin(url, (client) => client.query(`create database ${name} template template0`));
  const rowlock = new Rowlock({ connectionString: urlFor(name) });
  try {
    await rowlock.migrate();
  } finally {
    await rowlock.close();
  }
}

/** @returns `{ template, environment, stop() }`; `template` is the URL of the migrated database, the environment is what
 * `createTestDatabase` reads */
export async function startTestServer(major) {
  const { startServer } = await load('packages/embedded/dist/index.js');
  const server = await startServer({ settings, ...(major === undefined ? {} : { major }) });
  const template = `rowlock_template_${process.pid}`;
  const stop = async () => {
    try {
      await admin(server.url, (client) => client.query(`drop database if exists ${template} with (force)`));
    } finally {
      await server.stop();
    }
  };
  try {
    await createTemplate({ url: server.url, urlFor: (name) => server.urlFor(name) }, template);
    const environment = { ROWLOCK_TEST_URL: server.url, ROWLOCK_TEST_TEMPLATE: template };
    return { template: server.urlFor(template), environment, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
