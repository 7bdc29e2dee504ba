import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startServer } from './start-server.js';
import { query } from './testing/query.js';

test('DATABASE_URL wins and is left running', async (context) => {
  await using own = await startServer({ ignoreDatabaseUrl: true });
  const before = process.env['DATABASE_URL'];
  context.after(() => {
    if (before === undefined) delete process.env['DATABASE_URL'];
    else process.env['DATABASE_URL'] = before;
  });
  process.env['DATABASE_URL'] = own.url;
  const given = await startServer();
  assert.equal(given.source, 'DATABASE_URL');
  assert.equal(given.version, own.version);
  assert.equal(given.port, own.port);
  assert.equal(given.postmasterPid, null);
  assert.equal(given.urlFor('template1'), own.urlFor('template1'));
  await assert.rejects(given.restart(), { code: 'EMBEDDED_NOT_OURS' });
  await given.stop();
  assert.equal((await query(own.url, 'select')).length, 1);
  await assert.rejects(startServer({ major: own.version.startsWith('14') ? 15 : 14 }), {
    code: 'EMBEDDED_WRONG_MAJOR',
  });
  await own.stop();
  await assert.rejects(startServer(), { code: 'EMBEDDED_DATABASE_URL' });
});
