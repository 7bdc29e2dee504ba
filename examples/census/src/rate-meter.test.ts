import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RateMeter } from './rate-meter.js';

test('a rate is that of the last second or so', () => {
  const meter = new RateMeter();
  assert.equal(meter.take(0, 0), 0);
  assert.equal(meter.take(100, 500), 200);
  assert.equal(meter.take(200, 1000), 200);
  assert.equal(meter.take(200, 1500), 100);
  assert.equal(meter.take(200, 2000), 0);
  assert.equal(meter.take(200, 9000), 0);
});
