import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { readArguments } from './arguments.js';

test('without arguments it is this repository, by three workers', () => {
  const { folder, workers, help } = readArguments([], '/');
  assert.deepEqual({ workers, help }, { workers: 3, help: false });
  assert.ok(existsSync(join(folder, 'examples', 'census')));
});

test('a folder is relative to where the user is', () => {
  assert.equal(readArguments(['docs'], '/home/me').folder, resolve('/home/me/docs'));
  assert.equal(readArguments(['--workers', '8', '/data'], '/home/me').folder, resolve('/data'));
});

test('what cannot work is refused', () => {
  for (const workers of ['1', '17', '2.5', 'many', ''])
    assert.throws(() => readArguments([`--workers=${workers}`], '/'), /whole number from 2 to 16/);
  assert.throws(() => readArguments(['a', 'b'], '/'), /one folder at a time, not also b/);
  assert.throws(() => readArguments(['--wrokers', '2'], '/'), /--wrokers/);
});
