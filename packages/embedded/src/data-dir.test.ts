import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startServer } from './start-server.js';
import { query } from './testing/query.js';
import { makeScratch } from './testing/scratch.js';

test('a kept folder keeps data and password, for one server at a time', async () => {
  await using scratch = await makeScratch();
  const options = { ignoreDatabaseUrl: true, dataDir: join(scratch.path, 'deep', 'data') };
  const first = await startServer(options);
  await query(first.url, 'create table kept as select 1 as n');
  await assert.rejects(startServer(options), { code: 'EMBEDDED_DATA_DIR_IN_USE' });
  await first.stop();

  await using second = await startServer({ ...options, port: first.port });
  assert.equal(second.url, first.url);
  assert.deepEqual(await query(second.url, 'select n from kept'), [{ n: 1 }]);
  const guessed = new URL(second.url);
  guessed.password = 'guess';
  await assert.rejects(query(guessed.href, 'select'), { code: '28P01' });
  await assert.rejects(startServer({ ...options, major: 14 }), { code: 'EMBEDDED_WRONG_MAJOR' });
});

test('a folder with other files is left alone', async () => {
  await using scratch = await makeScratch();
  await writeFile(join(scratch.path, 'letter'), 'dear');
  const started = startServer({ ignoreDatabaseUrl: true, dataDir: scratch.path });
  await assert.rejects(started, { code: 'EMBEDDED_DATA_DIR_FOREIGN' });
});
