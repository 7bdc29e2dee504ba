import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Executor } from '../db/executor.js';
import type { Statement } from '../sql/statement.js';
import { HandClock } from '../testing/hand-clock.js';
import type { LeaseListener } from './lease-keeper.js';
import { LoopKeeper } from './loop-keeper.js';

const timing = { leaseMs: 15_000, renewEveryMs: 5000, maxBlockedMs: 60_000 };

interface Scene {
  readonly clock: HandClock;
  readonly keeper: LoopKeeper;
  readonly told: string[];
  answer: () => Promise<(string | null)[][]>;
}

function scene(): Scene {
  const clock = new HandClock();
  const told: string[] = [];
  const executor: Executor = {
    async run<P, R>(statement: Statement<P, R>): Promise<R[]> {
      return (await made.answer()).map((row) => statement.decode(row));
    },
  };
  const keeper = new LoopKeeper({ executor, timing, clock });
  const listener: LeaseListener = {
    dead: (workerId) => told.push(`dead ${workerId}`),
    connectionLost: (error) => told.push(`lost: ${error.message}`),
    renewed: () => told.push('renewed'),
    blocked: (ms) => told.push(`blocked ${String(ms)}`),
  };
  keeper.on(listener);
  const made: Scene = { clock, keeper, told, answer: () => Promise.resolve([['3', '1']]) };
  return made;
}

test('the deadline is the send time of the last acknowledged renewal, plus the lease, less a margin', async () => {
  const { clock, keeper, told } = scene();
  assert.equal(keeper.deadline(), -Infinity);
  keeper.start('7', 999_000);
  assert.equal(keeper.deadline(), 999_000 + 14_000);
  await clock.advance(5000);
  assert.equal(keeper.deadline(), 1_005_000 + 14_000);
  assert.deepEqual(keeper.peers, { count: 3, rank: 1 });
  assert.deepEqual(told, ['renewed']);
  await keeper.stop();
});

test('a renewal that fails leaves the deadline where it was, and is soon tried again', async () => {
  const made = scene();
  made.keeper.start('7', 1_000_000);
  made.answer = () => Promise.reject(new Error('down'));
  await made.clock.advance(7000);
  assert.deepEqual(made.told, ['lost: down', 'lost: down', 'lost: down']);
  assert.equal(made.keeper.deadline(), 1_014_000);
  made.answer = () => Promise.resolve([['1', '0']]);
  await made.clock.advance(1000);
  assert.equal(made.keeper.deadline(), 1_022_000);
  await made.keeper.stop();
});

test('an answer counts from when its question was sent, and only for its own incarnation', async () => {
  const made = scene();
  made.keeper.start('7', 1_000_000);
  let release: (rows: (string | null)[][]) => void = () => undefined;
  made.answer = () => new Promise((resolve) => (release = resolve));
  await made.clock.advance(6000);
  made.keeper.adopt('8', 1_006_000);
  release([['1', '0']]);
  await made.clock.advance(100);
  assert.equal(made.keeper.deadline(), 1_020_000);
  await made.keeper.stop();
});

test('a renewal that finds no live row reports the death of its incarnation', async () => {
  const made = scene();
  made.answer = () => Promise.resolve([]);
  made.keeper.start('7', 1_000_000);
  await made.clock.advance(5000);
  assert.deepEqual(made.told, ['dead 7']);
  await made.keeper.stop();
});

test('a loop that stood still for more than a second is reported', async () => {
  const { clock, keeper, told } = scene();
  keeper.start('7', 1_000_000);
  clock.block(3000);
  await clock.advance(0);
  assert.deepEqual(told, ['blocked 2500']);
  await keeper.stop();
});
