import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Executor } from '../db/executor.js';
import { openLeaseKeeper, type LeaseKeeperOptions } from './open-lease-keeper.js';

const executor: Executor = { run: () => Promise.resolve([]) };
const timing = { leaseMs: 15_000, renewEveryMs: 5000, maxBlockedMs: 60_000 };

function opened(connection: LeaseKeeperOptions['connection']): { mode: string; warnings: string[] } {
  const warnings: string[] = [];
  const warn = (message: string): number => warnings.push(message);
  const keeper = openLeaseKeeper({
    ...(connection !== undefined && { connection }),
    executor,
    schema: 'rowlock',
    timing,
    warn,
  });
  return { mode: keeper.mode, warnings };
}

test('connection settings that a thread can use give a helper thread, without a warning', () => {
  assert.deepEqual(opened('postgres://localhost/app'), { mode: 'thread', warnings: [] });
});

test('without them the lease is kept in the event loop, and one warning says why', () => {
  for (const connection of [undefined, { stream: () => undefined }]) {
    const { mode, warnings } = opened(connection);
    assert.equal(mode, 'loop');
    assert.equal(warnings.length, 1);
  }
});
