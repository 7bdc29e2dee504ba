import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  decodeLines,
  decodeNumberArray,
  decodePlainArray,
  decodeTextArray,
  decodeTidArray,
  encodePlainArray,
  encodeQuotedArray,
  encodeTidArray,
} from './array-text.js';

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

test('numbers, ids and addresses are read without looking at every character', () => {
  assert.deepEqual(decodeNumberArray('{1,-2,1764500000000001}'), [1, -2, 1764500000000001]);
  assert.deepEqual(decodePlainArray('{9223372036854775807,1}'), ['9223372036854775807', '1']);
  const tids = ['(0,1)', '(4294967294,65535)'];
  assert.equal(encodeTidArray(tids), encodeQuotedArray(tids));
  assert.deepEqual(decodeTidArray(encodeTidArray(tids)), tids);
  assert.deepEqual(decodeLines('{"a": 1}\n{}'), ['{"a": 1}', '{}']);
});

test('an array without elements and an aggregate over no rows read alike', () => {
  for (const text of ['{}', null]) {
    for (const decode of [decodeNumberArray, decodePlainArray, decodeTextArray, decodeTidArray])
      assert.deepEqual(decode(text), []);
  }
  assert.deepEqual(decodeLines(null), []);
  assert.equal(encodeTidArray([]), '{}');
});
