import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turns } from '../testing/hand-clock.js';
import { UnderWay } from './under-way.js';

test('nothing is under way at first', async () => {
  await new UnderWay().none();
});

test('whoever waits is told when the last has ended, also one that began meanwhile', async () => {
  const underWay = new UnderWay();
  const ends = [underWay.begin(), underWay.begin()];
  const told: string[] = [];
  void underWay.none().then(() => told.push('first'));
  void underWay.none().then(() => told.push('second'));
  ends[0]?.();
  const last = underWay.begin();
  ends[1]?.();
  await turns();
  assert.deepEqual(told, []);
  last();
  await turns();
  assert.deepEqual(told.sort(), ['first', 'second']);
});
