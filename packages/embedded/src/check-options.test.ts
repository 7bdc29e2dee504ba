import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkOptions } from './check-options.js';
import type { ServerOptions } from './options.js';
import { startServer } from './start-server.js';

const refusals: [options: unknown, message: string][] = [
  [
    '/data',
    'options must be an object: known are major, dataDir, port, settings, ignoreDatabaseUrl, binDir.',
  ],
  [{ settings: ['a'] }, "settings must be an object of texts, like { work_mem: '8MB' }."],
  [
    { prot: 1 },
    'prot is not an option: known are major, dataDir, port, settings, ignoreDatabaseUrl, binDir.',
  ],
  [
    { toString: 1 },
    'toString is not an option: known are major, dataDir, port, settings, ignoreDatabaseUrl, binDir.',
  ],
  [{ port: 99_999 }, 'port must be a whole number from 1 to 65535.'],
  [{ major: 13 }, 'major must be 14, 15, 16, 17 or 18.'],
  [{ settings: { max_connections: 5 } }, "settings must be an object of texts, like { work_mem: '8MB' }."],
  [{ binDir: '' }, 'binDir must be the folder that holds postgres and initdb.'],
  [{ ignoreDatabaseUrl: 'no' }, 'ignoreDatabaseUrl must be true or false.'],
];

test('an option that cannot work is refused by name, before anything is started', async () => {
  for (const [options, message] of refusals) {
    await assert.rejects(startServer(options as ServerOptions), { code: 'EMBEDDED_OPTION_INVALID', message });
  }
});

test('what is left undefined is left to its default', () => {
  checkOptions({ major: undefined, port: undefined, settings: { work_mem: '8MB' }, dataDir: '/tmp/data' });
});
