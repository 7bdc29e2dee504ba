// The server of a test run, with a migrated template that each test file clones.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './workspace.mjs';

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

async function createTemplate(url, name) {
  const { Rowlock } = (await load('packages/rowlock/dist/index.js')) ?? {};
  if (Rowlock === undefined) {
    console.log('rowlock is not built: there is no migrated template, tests that need it fail.');
    return;
  }
  await admin(url, (client) => client.query(`create database ${name} template template0`));
  const target = new URL(url);
  target.pathname = `/${name}`;
  const rowlock = new Rowlock({ connectionString: target.href });
  try {
    await rowlock.migrate();
  } finally {
    await rowlock.close();
  }
}

/** @returns `{ url, environment, stop() }`; the environment is what `createTestDatabase` reads */
export async function startTestServer(major) {
  const { startServer } = (await load('packages/embedded/dist/index.js')) ?? {};
  if (startServer === undefined) {
    console.log('@rowlock/embedded is not built: tests that need a server fail.');
    return { url: '', environment: {}, stop: async () => {} };
  }
  const server = await startServer(major === undefined ? {} : { major });
  const template = `rowlock_template_${process.pid}`;
  const stop = async () => {
    await admin(server.url, (client) => client.query(`drop database if exists ${template} with (force)`));
    await server.stop();
  };
  try {
    await createTemplate(server.url, template);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: server.url, environment: { ROWLOCK_TEST_URL: server.url, ROWLOCK_TEST_TEMPLATE: template }, stop };
}
