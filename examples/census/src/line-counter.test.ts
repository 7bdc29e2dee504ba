import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LineCounter } from './line-counter.js';

function linesOf(...pieces: string[]): number {
  const counter = new LineCounter();
  for (const piece of pieces) counter.take(Buffer.from(piece));
  return counter.lines;
}

test('counts line feeds, and a last line without one', () => {
  assert.equal(linesOf(), 0);
  assert.equal(linesOf(''), 0);
  assert.equal(linesOf('\n'), 1);
  assert.equal(linesOf('one'), 1);
  assert.equal(linesOf('one\n'), 1);
  assert.equal(linesOf('one\ntwo'), 2);
  assert.equal(linesOf('one\r\n\r\ntwo\n'), 3);
});

test('where the pieces are cut makes no difference', () => {
  const text = 'one\n\ntwo\nthree';
  for (let at = 0; at <= text.length; at += 1)
    assert.equal(linesOf(text.slice(0, at), '', text.slice(at)), 4, `cut at ${String(at)}`);
});
