import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claimOf } from '../testing/scripted-claims.js';
import { WaitingLine } from './waiting-line.js';

const [a, b, c, d] = [claimOf(), claimOf(), claimOf(), claimOf()] as const;

test('claims leave in the order they came, batch after batch', () => {
  const line = new WaitingLine();
  line.push([a, b], 1);
  line.push([], 2);
  line.push([c], 3);
  assert.equal(line.size, 3);
  assert.deepEqual([line.shift(), line.shift(), line.shift(), line.shift()], [a, b, c, undefined]);
  assert.equal(line.size, 0);
});

test('what has waited too long is taken out, without what left before and what came since', () => {
  const line = new WaitingLine();
  line.push([a, b], 1);
  line.push([c], 5);
  line.push([d], 6);
  line.shift();
  assert.deepEqual(line.takeOlder(1), []);
  assert.deepEqual(line.takeOlder(6), [b, c]);
  assert.deepEqual([line.size, line.shift(), line.shift()], [1, d, undefined]);
});
