import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DueTimes } from './due-times.js';

test('the earliest due time comes first, and the others are not forgotten when it has passed', () => {
  const due = new DueTimes();
  for (const time of [3_000_000, 1_000_000, 2_000_000]) due.add(time);
  assert.equal(due.first, 1_000_000);
  due.dropUntil(1_000_000);
  assert.equal(due.first, 2_000_000);
  due.dropUntil(5_000_000);
  assert.equal(due.first, undefined);
});

test('jobs due within one millisecond share a time, which is not before any of them', () => {
  const due = new DueTimes();
  due.add(1_000_001);
  due.add(1_000_999);
  assert.equal(due.first, 1_001_000);
  due.dropUntil(1_001_000);
  assert.equal(due.first, undefined);
});

test('a bounded number is remembered, the earliest', () => {
  const due = new DueTimes();
  for (let n = 5000; n > 0; n -= 1) due.add(n * 1000);
  let count = 0;
  for (; due.first !== undefined; count += 1) due.dropUntil(due.first);
  assert.equal(count, 1000);
});
