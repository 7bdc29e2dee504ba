import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeTextArray, encodePlainArray, encodeQuotedArray } from './array-text.js';

test('numbers and booleans are written bare', () => {
  assert.equal(encodePlainArray([]), '{}');
  assert.equal(encodePlainArray(['9223372036854775807', 1, true, null]), '{9223372036854775807,1,true,NULL}');
});

test('texts are quoted, and only what needs it is escaped', () => {
  assert.equal(encodeQuotedArray([]), '{}');
  assert.equal(encodeQuotedArray(['(0,1)', '', 'NULL', null]), '{"(0,1)","","NULL",NULL}');
  assert.equal(encodeQuotedArray(['{"a":"b\\n"}']), '{"{\\"a\\":\\"b\\\\n\\"}"}');
});

test('what was encoded decodes to itself', () => {
  const values = ['', 'a', '(0,1)', 'a,b', '{}', '"', '\\', '\\"', 'NULL', null, 'ü\n 😀'];
  assert.deepEqual(decodeTextArray(encodeQuotedArray(values)), values);
  assert.deepEqual(decodeTextArray(encodePlainArray(['1', 2, null])), ['1', '2', null]);
  assert.deepEqual(decodeTextArray('{}'), []);
});
