import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cleanText, isStorable } from './text.js';

test('NUL and lone surrogates go, pairs stay', () => {
  assert.equal(cleanText('a\0b\ud800c\udc00d😀e'), 'abcd😀e');
  assert.equal(isStorable('😀'), true);
  for (const text of ['\0', '\ud800', '\udc00', '\udc00\ud800']) assert.equal(isStorable(text), false);
});

test('cleaning leaves only storable text, and storable text as it is', () => {
  const code = fc.integer({ min: 0, max: 0xffff });
  const text = fc.array(code).map((codes) => String.fromCharCode(...codes));
  fc.assert(fc.property(text, (dirty) => isStorable(cleanText(dirty))));
  fc.assert(fc.property(text, (dirty) => Buffer.from(cleanText(dirty)).toString() === cleanText(dirty)));
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (clean) => cleanText(clean) === clean.replaceAll('\0', '')),
  );
});
