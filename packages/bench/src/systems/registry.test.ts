import assert from 'node:assert/strict';
import { test } from 'node:test';
import { peerNames, peers, systemNamed } from './registry.js';
import { differences } from './sql-inspector.js';
import { handled } from './system.js';

test('every system is found by its name, in a process of its own too', () => {
  for (const peer of peers) assert.equal(systemNamed(peer.name), peer);
  assert.equal(systemNamed('rowlock').name, 'rowlock');
  assert.equal(new Set(peerNames).size, peerNames.length);
  assert.throws(() => systemNamed('cron'), /no system is called cron; known: rowlock, /);
});

test('every system says what it was given, whatever for', () => {
  for (const purpose of ['throughput', 'latency', 'load', 'rescue'] as const)
    for (const { given } of peers) assert.match(given(purpose), /\w/);
});

test('what differs from what is wanted is told by name', () => {
  assert.deepEqual(differences({ live: 0, finished: 5 }, { live: 0, finished: 5 }), []);
  assert.deepEqual(differences({ live: 0, finished: 5 }, { live: 1 }), [
    'live: 1 instead of 0',
    'finished: undefined instead of 5',
  ]);
  assert.equal(differences({ live: 0 }, undefined).length, 1);
});

test('a handler fails when it is told to, at once or later', async () => {
  const run = async (verdict: boolean | Promise<boolean>): Promise<void> => {
    await handled(verdict);
  };
  await run(true);
  await run(Promise.resolve(true));
  await assert.rejects(run(false), /this attempt fails/);
  await assert.rejects(run(Promise.resolve(false)), /this attempt fails/);
  assert.equal(handled(true) instanceof Promise, false);
});
