import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LeaseRecord } from './lease-record.js';

test('nothing is acknowledged before the first incarnation', () => {
  const record = new LeaseRecord();
  assert.equal(record.acknowledgedAt, -Infinity);
  record.acknowledge(1, 500);
  assert.equal(record.acknowledgedAt, -Infinity);
});

test('both sides of the buffer see the same instants', () => {
  const main = new LeaseRecord();
  const thread = new LeaseRecord(main.buffer);
  const generation = main.adopt(1000);
  thread.acknowledge(generation, 2000.25);
  assert.equal(main.acknowledgedAt, 2000.25);
  main.beat();
  assert.equal(thread.beats, 1n);
});

test('an acknowledgement never takes a lease back', () => {
  const record = new LeaseRecord();
  const generation = record.adopt(1000);
  record.acknowledge(generation, 3000);
  record.acknowledge(generation, 2000);
  assert.equal(record.acknowledgedAt, 3000);
});

test('a late acknowledgement for an earlier incarnation does not count for its successor', () => {
  const record = new LeaseRecord();
  const first = record.adopt(1000);
  const second = record.adopt(5000);
  record.acknowledge(first, 6000);
  assert.equal(record.acknowledgedAt, 5000);
  record.acknowledge(second, 7000);
  assert.equal(record.acknowledgedAt, 7000);
});
