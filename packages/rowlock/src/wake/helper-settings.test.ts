import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitSettings } from './helper-settings.js';

test('a connection string goes to the thread as it is', () => {
  const split = splitSettings('postgres://localhost/app');
  assert.deepEqual(split?.settings, {
    config: { connectionString: 'postgres://localhost/app' },
    asksPassword: false,
    asksIdentity: false,
  });
});

test('functions stay on the main side, options of the pool are left out', async () => {
  const split = splitSettings({
    host: 'db',
    password: () => Promise.resolve('secret'),
    ssl: { ca: 'pem', checkServerIdentity: () => undefined },
    types: { getTypeParser: () => (text: string) => text },
    ...{ max: 20, log: () => undefined },
  });
  assert.deepEqual(split?.settings, {
    config: { host: 'db', ssl: { ca: 'pem' } },
    asksPassword: true,
    asksIdentity: true,
  });
  assert.equal(await split.callbacks.password?.(), 'secret');
});

test('a TLS key survives, though the driver hides it from spreads', () => {
  const ssl = { key: 'pem', cert: 'pem' };
  Object.defineProperty(ssl, 'key', { enumerable: false });
  assert.deepEqual(splitSettings({ ssl })?.settings.config.ssl, { cert: 'pem', key: 'pem' });
});

test('what no thread can use is refused', () => {
  assert.equal(splitSettings({ stream: () => undefined }), null);
  assert.equal(splitSettings({ ssl: { pskCallback: () => null } }), null);
});
