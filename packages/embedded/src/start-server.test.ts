import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { test } from 'node:test';
import { startServer } from './start-server.js';
import { query } from './testing/query.js';

const ours = { ignoreDatabaseUrl: true };

test('starts, answers, stops and leaves nothing', async () => {
  const server = await startServer(ours);
  const [row] = await query<{ version: string; fsync: string }>(
    server.url,
    `select current_setting('server_version') as version, current_setting('fsync') as fsync`,
  );
  assert.deepEqual(row, { version: server.version, fsync: 'on' });
  assert.equal(server.port, Number(new URL(server.url).port));
  assert.ok(server.postmasterPid !== null);
  await Promise.all([server.stop(), server.stop()]);
  assert.equal(server.postmasterPid, null);
  assert.equal(existsSync(server.dataDir), false);
  await assert.rejects(query(server.url, 'select'));
  await assert.rejects(server.restart(), { code: 'EMBEDDED_STOPPED' });
});

test('never runs as root', async () => {
  await using server = await startServer(ours);
  const { uid } = await stat(server.dataDir);
  if (process.getuid?.() === 0) assert.notEqual(uid, 0);
  else assert.equal(uid, process.getuid?.() ?? uid);
});

test('a restart keeps port, data and settings', async () => {
  await using server = await startServer({
    ...ours,
    settings: { work_mem: '5MB', application_name: "it's" },
  });
  const { url, postmasterPid } = server;
  await query(url, 'create table kept as select 1 as n');
  await server.restart();
  await server.restart('immediate');
  assert.equal(server.url, url);
  assert.notEqual(server.postmasterPid, postmasterPid);
  const [row] = await query(url, `select n, current_setting('work_mem') as memory from kept`);
  assert.deepEqual(row, { n: 1, memory: '5MB' });
});

test('two at once do not meet, and a taken port is told', async () => {
  const [one, two] = await Promise.all([startServer(ours), startServer(ours)]);
  await using _one = one;
  await using _two = two;
  assert.notEqual(one.port, two.port);
  assert.notEqual(one.dataDir, two.dataDir);
  await query(one.url, 'create database "only here"');
  assert.equal((await query(one.urlFor('only here'), 'select')).length, 1);
  await assert.rejects(query(two.urlFor('only here'), 'select'));
  await assert.rejects(startServer({ ...ours, port: one.port }), { code: 'EMBEDDED_PORT_TAKEN' });
});

test('a setting the server refuses is told with its log', async () => {
  const started = startServer({ ...ours, settings: { no_such_setting: 'on' } });
  await assert.rejects(started, { code: 'EMBEDDED_START_FAILED', message: /no_such_setting/ });
});

test('a killed postmaster is noticed, and restart brings it back', async () => {
  await using server = await startServer(ours);
  process.kill(server.postmasterPid ?? Number.NaN, 'SIGKILL');
  await server.restart();
  assert.equal((await query(server.url, 'select')).length, 1);
});
