import assert from 'node:assert/strict';
import { test } from 'node:test';
import { number, percent, renderMarkdown, renderText } from './table.js';

const table = {
  columns: ['system', 'jobs/s'],
  rows: [
    ['ceiling', '120,000'],
    ['a|b', '-'],
  ],
};

test('text aligns numbers to the right and words to the left', () => {
  assert.equal(
    renderText(table),
    ['system    jobs/s', '-------  -------', 'ceiling  120,000', 'a|b            -'].join('\n'),
  );
});

test('markdown escapes what would end a cell', () => {
  assert.equal(
    renderMarkdown(table),
    ['| system | jobs/s |', '|---|--:|', '| ceiling | 120,000 |', '| a\\|b | - |'].join('\n'),
  );
});

test('a table without rows has its head', () => {
  assert.equal(renderText({ columns: ['a'], rows: [] }), 'a\n-');
});

test('numbers keep the digits that count', () => {
  assert.equal(number(123_456.7), '123,457');
  assert.equal(number(12.34), '12.3');
  assert.equal(number(1.234), '1.23');
  assert.equal(number(0.001234), '0.0012');
  assert.equal(number(0), '0.00');
  assert.equal(number(NaN), '-');
  assert.equal(percent(0.123), '12 %');
  assert.equal(percent(NaN), '-');
});
