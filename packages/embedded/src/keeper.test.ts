import assert from 'node:assert/strict';
import { chmod, mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startServer } from './start-server.js';
import { Holder, isRunning } from './testing/holder.js';
import { query } from './testing/query.js';
import { makeScratch } from './testing/scratch.js';
import { until } from './until.js';

const dist = dirname(fileURLToPath(import.meta.url));
const options = { ignoreDatabaseUrl: true };
const soon = { within: 10_000 };

test('a killed parent leaves no server and no folder', async () => {
  await using scratch = await makeScratch();
  const holder = new Holder({ dist, options, temporary: scratch.path });
  const { postmasterPid, url } = await holder.held();
  assert.equal((await query(url, 'select')).length, 1);
  assert.notDeepEqual(await readdir(scratch.path), []);
  await holder.kill();
  assert.ok(await until(() => !isRunning(postmasterPid), soon), 'the server still runs');
  assert.ok(
    await until(async () => (await readdir(scratch.path)).length === 0, soon),
    'the folder is still there',
  );
});

test('a parent killed while its server is being made leaves nothing', async () => {
  await using scratch = await makeScratch();
  const holder = new Holder({ dist, options, temporary: scratch.path });
  assert.ok(await until(async () => (await readdir(scratch.path)).length > 0, soon), 'it never began');
  await holder.kill();
  assert.ok(
    await until(async () => (await readdir(scratch.path)).length === 0, soon),
    'the folder is still there',
  );
});

test('a killed parent leaves kept data that the next one opens', async () => {
  await using scratch = await makeScratch();
  const temporary = join(scratch.path, 'tmp');
  await mkdir(temporary);
  await chmod(temporary, 0o1777);
  const kept = { ...options, dataDir: join(scratch.path, 'data') };
  const holder = new Holder({ dist, options: kept, temporary });
  const { postmasterPid, url } = await holder.held();
  await query(url, 'create table kept as select 1 as n');
  await holder.kill();
  assert.ok(await until(() => !isRunning(postmasterPid), soon), 'the server still runs');
  await using server = await startServer(kept);
  assert.deepEqual(await query(server.url, 'select n from kept'), [{ n: 1 }]);
});
