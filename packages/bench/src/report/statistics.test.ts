import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bootstrapLowerBound, median, pairedRatios, percentile, spread, summarize } from './statistics.js';

test('the median is the middle value, or the mean of the two in the middle', () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 3, 2]), 2.5);
  assert.equal(median([7]), 7);
  assert.ok(Number.isNaN(median([])));
});

test('a percentile is a value that occurred', () => {
  const hundred = Array.from({ length: 100 }, (_, i) => 100 - i);
  assert.equal(percentile(hundred, 0.5), 50);
  assert.equal(percentile(hundred, 0.99), 99);
  assert.equal(percentile(hundred, 1), 100);
  assert.equal(percentile([5, 1], 0), 1);
  assert.equal(percentile([5, 1], 0.99), 5);
  assert.ok(Number.isNaN(percentile([], 0.5)));
});

test('spread is the range in units of the median', () => {
  assert.equal(spread([90, 100, 120]), 0.3);
  assert.equal(spread([5]), 0);
});

test('a summary does not depend on the order of the values', () => {
  assert.deepEqual(summarize([3, 1, 2]), { count: 3, p50: 2, p95: 3, p99: 3, max: 3 });
  assert.equal(summarize([]).count, 0);
});

test('ratios are taken round by round', () => {
  assert.deepEqual(pairedRatios([80, 45], [100, 50]), [0.8, 0.9]);
  assert.throws(() => pairedRatios([1], [1, 2]), /cannot be paired/);
});

test('the lower bound lies between the lowest value and the median, and is near where values are near', () => {
  const ratios = [0.9, 0.98, 0.99, 1, 1, 1.01, 1.01, 1.02, 1.05];
  const bound = bootstrapLowerBound(ratios);
  assert.ok(bound >= 0.98 && bound < 1, String(bound));
  assert.equal(bootstrapLowerBound([1, 1, 1]), 1);
  assert.equal(bootstrapLowerBound([0.5, 1, 1.5]), 0.5);
  assert.equal(bootstrapLowerBound(ratios), bound);
});
