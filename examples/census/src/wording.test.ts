import assert from 'node:assert/strict';
import { test } from 'node:test';
import { counted, grouped, printable, seconds, sized } from './wording.js';

test('numbers as people read them', () => {
  assert.equal(grouped(1_234_567), '1,234,567');
  assert.equal(counted(1, 'file'), '1 file');
  assert.equal(counted(0, 'file'), '0 files');
  assert.equal(seconds(1_250), '1.3 s');
});

test('sizes in powers of 1000, three digits at most', () => {
  const sizes = [0, 999, 1000, 99_949, 99_951, 999_499, 999_500, 12_300_000, 5e12, 5e15].map(sized);
  assert.deepEqual(sizes, [
    '0 B',
    '999 B',
    '1.0 kB',
    '99.9 kB',
    '100 kB',
    '999 kB',
    '1.0 MB',
    '12.3 MB',
    '5.0 TB',
    '5000 TB',
  ]);
});

test('a path cannot move the cursor', () => {
  assert.equal(printable('a\x1b[31m\nb\u202e.ts'), 'a\\u{1b}[31m\\u{a}b\\u{202e}.ts');
  assert.equal(printable('/tmp/käse 🧀.txt'), '/tmp/käse 🧀.txt');
});
