import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lanesPerQueue, Lanes } from './lanes.js';

const lastId = '9223372036854775807';
const nothingSeen = (queues: number): null[] => Array.from({ length: queues * lanesPerQueue }, () => null);

/** Where the next claim of this queue starts in the lane of this priority. */
function startOf(lanes: Lanes, queue: number, priority = 5): [number, string] {
  const { runAts, ids } = lanes.startsOf([queue]);
  return [runAts[priority] ?? NaN, ids[priority] ?? ''];
}

test('a new process claims from the beginning of every lane', () => {
  const { runAts, ids } = new Lanes(2).startsOf([0, 1]);
  assert.deepEqual(
    runAts,
    Array.from({ length: 20 }, () => 0),
  );
  assert.deepEqual(
    ids,
    Array.from({ length: 20 }, () => '0'),
  );
});

test('a head moves on with each row claimed, in its own lane only, and never back', () => {
  const lanes = new Lanes(2);
  lanes.advance(1, 5, { runAt: 200, id: '9' });
  lanes.advance(1, 5, { runAt: 100, id: '50' });
  assert.deepEqual(startOf(lanes, 1, 5), [200, '9']);
  assert.deepEqual(startOf(lanes, 1, 4), [0, '0']);
  assert.deepEqual(startOf(lanes, 0, 5), [0, '0']);
});

test('rows of one instant follow each other by the number of their id, not by its text', () => {
  const lanes = new Lanes(1);
  lanes.advance(0, 5, { runAt: 200, id: '9' });
  lanes.advance(0, 5, { runAt: 200, id: '10' });
  lanes.advance(0, 5, { runAt: 200, id: '2' });
  assert.deepEqual(startOf(lanes, 0), [200, '10']);
});

test('a ring starts the next claim of its queue just before the instant it names, once', () => {
  const lanes = new Lanes(2);
  for (const queue of [0, 1]) lanes.advance(queue, 5, { runAt: 500, id: '7' });
  lanes.lowerOnce(0, 300);
  lanes.lowerOnce(0, 400);
  assert.deepEqual(startOf(lanes, 1), [500, '7']);
  assert.deepEqual(startOf(lanes, 0), [299, lastId]);
  assert.deepEqual(startOf(lanes, 0), [500, '7']);
});

test('a ring about rows ahead of the head does not move the start forward', () => {
  const lanes = new Lanes(1);
  lanes.advance(0, 5, { runAt: 500, id: '7' });
  lanes.lowerOnce(0, 900);
  assert.deepEqual(startOf(lanes, 0), [500, '7']);
});

test('a floor stands just below the lowest unclaimed row, or at the end of the closed epochs where there is none', () => {
  const lanes = new Lanes(1);
  const lowest = nothingSeen(1).map((none, priority) => (priority === 5 ? ([100, '40'] as const) : none));
  lanes.raiseFloors(lowest, 1000);
  assert.deepEqual(startOf(lanes, 0, 5), [100, '39']);
  assert.deepEqual(startOf(lanes, 0, 4), [999, lastId]);
});

test('a floor never sinks: a row that a later pass sees below it was claimed and given back', () => {
  const lanes = new Lanes(1);
  lanes.raiseFloors(nothingSeen(1), 1000);
  lanes.raiseFloors(nothingSeen(1), 600);
  assert.deepEqual(startOf(lanes, 0), [999, lastId]);
});

test('once after each pass a claim starts at the floors; no claim ever starts below them', () => {
  const lanes = new Lanes(2);
  lanes.raiseFloors(nothingSeen(2), 1000);
  lanes.advance(0, 5, { runAt: 5000, id: '7' });
  lanes.lowerAllOnce();
  assert.deepEqual(startOf(lanes, 0), [999, lastId]);
  assert.deepEqual(startOf(lanes, 0), [5000, '7']);
  lanes.lowerOnce(1, 1);
  assert.deepEqual(startOf(lanes, 1), [999, lastId]);
});

test('a reset forgets heads and floors', () => {
  const lanes = new Lanes(1);
  lanes.advance(0, 5, { runAt: 5000, id: '7' });
  lanes.raiseFloors(nothingSeen(1), 1000);
  lanes.reset();
  assert.deepEqual(startOf(lanes, 0), [0, '0']);
  assert.deepEqual(lanes.floors.runAts[5], 0);
});
