import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionError } from '../job/errors.js';
import type { PassParams, PassRow } from '../sql/generated/statements.gen.js';
import { pass } from '../sql/generated/statements.gen.js';
import { HandClock } from '../testing/hand-clock.js';
import { ScriptedDatabase, type Call } from '../testing/scripted-database.js';
import { Lanes } from './lanes.js';
import type { PassAnswer } from './pass.js';
import { Pass } from './pass.js';

const lastId = '9223372036854775807';

class Stage {
  readonly clock = new HandClock();
  readonly database = new ScriptedDatabase();
  readonly lanes = new Lanes(1);
  readonly answers: PassAnswer[] = [];
  readonly errors: unknown[] = [];
  readonly pass = new Pass({
    database: this.database,
    clock: this.clock,
    lanes: this.lanes,
    queues: ['default'],
    kinds: ['work', 'rest'],
    everyMs: 250,
    onAnswer: (answer) => this.answers.push(answer),
    onError: (error) => this.errors.push(error),
  });

  /** The next pass, once its time has come. */
  async next(): Promise<Call<PassParams, PassRow>> {
    await this.clock.advance(0);
    if (this.database.waiting(pass) === 0) await this.clock.advance(250);
    return this.database.take(pass);
  }
}

function rowOf(fields: Partial<PassRow> = {}): PassRow {
  const lowest = JSON.stringify(Array.from({ length: 10 }, () => null));
  const nothing = { nextDue: null, pausedKinds: [], parked: '[]' };
  return { clock: 2e15, startedAt: 1e15, openEpoch: '2000', lowest, ...nothing, ...fields };
}

test('a pass starts at once and then comes four times a second', async () => {
  const stage = new Stage();
  stage.pass.start();
  await stage.clock.advance(0);
  await stage.database.take(pass).answer([rowOf()]);
  await stage.clock.advance(249);
  assert.equal(stage.database.waiting(pass), 0);
  await stage.clock.advance(1);
  assert.equal(stage.database.waiting(pass), 1);
  assert.equal(stage.answers.length, 1);
});

test('passes take at most a fiftieth of the time, once two in a row were slow', async () => {
  const stage = new Stage();
  stage.pass.start();
  for (const untilNext of [250, 5000]) {
    const call = await stage.next();
    await stage.clock.advance(100);
    await call.answer([rowOf()]);
    await stage.clock.advance(untilNext - 1);
    assert.equal(stage.database.waiting(pass), 0);
    await stage.clock.advance(1);
    assert.equal(stage.database.waiting(pass), 1);
  }
});

test('floors rise only to epochs that an earlier pass has closed: only later snapshots see all that is in them', async () => {
  const stage = new Stage();
  stage.pass.start();
  const first = await stage.next();
  assert.deepEqual([first.params.closedUntil, first.params.openEpoch], [0, null]);
  await first.answer([rowOf({ openEpoch: '2000' })]);
  assert.equal(stage.lanes.floors.runAts[5], 0);
  const second = await stage.next();
  assert.deepEqual([second.params.closedUntil, second.params.openEpoch], [2_000_000_000, '2000']);
  await second.answer([rowOf({ openEpoch: '2001' })]);
  assert.deepEqual([stage.lanes.floors.runAts[5], stage.lanes.floors.ids[5]], [1_999_999_999, lastId]);
  const third = await stage.next();
  assert.equal(third.params.closedUntil, 2_001_000_000);
  assert.equal(third.params.floorRunAts[5], 1_999_999_999);
});

test('an answer from before a reset raises no floor', async () => {
  const stage = new Stage();
  stage.pass.start();
  await (await stage.next()).answer([rowOf()]);
  const call = await stage.next();
  stage.lanes.reset();
  stage.pass.reset();
  await call.answer([rowOf()]);
  assert.equal(stage.lanes.floors.runAts[5], 0);
  assert.equal((await stage.next()).params.openEpoch, null);
});

test('pauses and parked kinds are learned; a paused kind is not asked for', async () => {
  const stage = new Stage();
  stage.pass.start();
  const parked = '[["default","work"],["default","rest"]]';
  await (await stage.next()).answer([rowOf({ pausedKinds: ['rest'], parked })]);
  assert.deepEqual([...stage.pass.pausedKinds], ['rest']);
  assert.deepEqual(stage.pass.parked, [['default', 'work']]);
  await (await stage.next()).answer([rowOf({ parked })]);
  assert.deepEqual(stage.pass.parked, [
    ['default', 'work'],
    ['default', 'rest'],
  ]);
});

test('a pass that fails is reported and the next one comes all the same', async () => {
  const stage = new Stage();
  stage.pass.start();
  await (await stage.next()).fail(new ConnectionError('away'));
  await (await stage.next()).answer([]);
  await (await stage.next()).answer([rowOf()]);
  assert.deepEqual([stage.errors.length, stage.answers.length], [2, 1]);
});

test('stop waits for the pass under way and none follows', async () => {
  const stage = new Stage();
  stage.pass.start();
  const call = await stage.next();
  let stopped = false;
  void stage.pass.stop().then(() => (stopped = true));
  await stage.clock.advance(0);
  assert.equal(stopped, false);
  await call.answer([rowOf()]);
  assert.deepEqual([stopped, stage.clock.pending], [true, 0]);
});
