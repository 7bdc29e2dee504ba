import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { argsOfLength } from './args.js';

test('args are as long as asked, as JSON', () => {
  for (const bytes of [100, 1024, 10_240])
    assert.equal(Buffer.byteLength(JSON.stringify(argsOfLength(bytes))), bytes);
});

test('args hardly compress: base64 letters carry six bits of eight', () => {
  const text = JSON.stringify(argsOfLength(10_240));
  assert.ok(deflateRawSync(text).length > 0.7 * text.length);
});

test('args are the same in every run', () => {
  assert.deepEqual(argsOfLength(1000), argsOfLength(1000));
});
