import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionError } from '../job/errors.js';
import {
  claimDuty,
  markDeadWorkers,
  markSwept,
  moveLap,
  rescue,
  unsweptWorkers,
} from '../sql/generated/statements.gen.js';
import { HandClock, turns } from '../testing/hand-clock.js';
import { QuietKeeper } from '../testing/quiet-keeper.js';
import { ScriptedDatabase } from '../testing/scripted-database.js';
import { Maintenance } from './maintenance.js';
import type { Rescued } from './rescue.js';

/** Upkeep with a lease of 15 s; no duty is due and nobody is dead unless a test says so. */
class Stage {
  readonly clock = new HandClock();
  readonly database = new ScriptedDatabase();
  readonly rescued: Rescued[] = [];
  readonly errors: unknown[] = [];
  workerId: string | null = '7';
  latestClock: number | null = 5_000_000;
  readonly maintenance = new Maintenance({
    database: this.database,
    clock: this.clock,
    keeper: new QuietKeeper(),
    leaseMs: 15_000,
    workerId: () => this.workerId,
    latestClock: () => this.latestClock,
    onRescued: (rescued) => this.rescued.push(rescued),
    onError: (error) => this.errors.push(error),
  });

  constructor() {
    this.database.always(claimDuty, () => []);
    this.database.always(markDeadWorkers, () => []);
    this.maintenance.start();
  }

  /** Time passes in steady contact, renewals acknowledged every 5 s. */
  async steady(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 5000) {
      this.maintenance.renewed();
      await this.clock.advance(Math.min(5000, ms - passed));
    }
  }

  get marks(): number {
    return this.database.names.filter((name) => name === 'mark_dead_workers').length;
  }
}

test('whoever has just come into contact judges nobody dead for a whole lease', async () => {
  const stage = new Stage();
  await stage.steady(14_900);
  assert.equal(stage.marks, 0);
  await stage.steady(1500);
  assert.ok(stage.marks >= 1);
});

test('whoever was out of contact for a while starts to count anew: all may have been cut off alike', async () => {
  const stage = new Stage();
  await stage.steady(30_000);
  assert.ok(stage.marks > 0);
  await stage.clock.advance(8000);
  const before = stage.marks;
  await stage.steady(14_900);
  assert.equal(stage.marks, before);
  await stage.steady(2000);
  assert.ok(stage.marks > before);
});

test('while renewals stay away nobody is judged, even before a lease has passed', async () => {
  const stage = new Stage();
  await stage.steady(30_000);
  await stage.clock.advance(2600);
  const before = stage.marks;
  await stage.clock.advance(10_000);
  assert.equal(stage.marks, before);
});

test('after a jump of the clock nobody is judged for a whole lease', async () => {
  const stage = new Stage();
  await stage.steady(30_000);
  stage.maintenance.doubt();
  const before = stage.marks;
  await stage.steady(14_900);
  assert.equal(stage.marks, before);
  await stage.steady(2000);
  assert.ok(stage.marks > before);
});

test('the latest time that the clock can show goes with the judgement, and without it there is none', async () => {
  const stage = new Stage();
  stage.latestClock = null;
  await stage.steady(30_000);
  assert.equal(stage.marks, 0);
  stage.latestClock = 77;
  let params: unknown;
  stage.database.always(markDeadWorkers, (asked) => {
    params = asked;
    return [];
  });
  await stage.steady(1000);
  assert.deepEqual(params, { workerId: '7', notAfter: 77 });
});

test('the dead are swept for at once: the whole table, in steps, and only then are they done with', async () => {
  const stage = new Stage();
  await stage.steady(15_000);
  let marked = 0;
  stage.database.always(markDeadWorkers, () => (marked++ === 0 ? [{ workerId: '3' }] : []));
  stage.database.always(unsweptWorkers, () => [{ workerIds: ['3', '4'], pages: 5000 }]);
  await stage.steady(1000);
  const first = stage.database.take(rescue);
  assert.deepEqual(first.params, { fromTid: '(0,0)', toTid: '(4096,0)' });
  await first.answer([{ id: '1', claimNo: 1, state: 'retryable' }]);
  const second = stage.database.take(rescue);
  assert.deepEqual(second.params, { fromTid: '(4096,0)', toTid: '(8192,0)' });
  assert.equal(stage.database.names.includes('mark_swept'), false);
  await second.answer([{ id: '2', claimNo: 4, state: 'discarded' }]);
  const swept = stage.database.take(markSwept);
  assert.deepEqual(swept.params, { workerIds: ['3', '4'] });
  await swept.answer([]);
  assert.deepEqual(stage.rescued, [{ jobs: 2, discarded: 1 }]);
});

test('the lap goes round the table, a step each time its duty is taken', async () => {
  const stage = new Stage();
  let position = '0';
  stage.database.always(claimDuty, ({ name }) => (name === 'lap' ? [{ position }] : []));
  stage.database.always(rescue, () => []);
  stage.database.always(moveLap, (moved) => {
    position = moved.position;
    return [];
  });
  await stage.clock.advance(3000);
  assert.equal(position, '3072');
  assert.deepEqual(
    stage.rescued,
    Array.from({ length: 3 }, () => ({ jobs: 0, discarded: 0 })),
  );
});

test('a round that fails is reported and the next one comes all the same; without a worker id nothing is done', async () => {
  const stage = new Stage();
  stage.database.always(claimDuty, () => {
    throw new ConnectionError('away');
  });
  await stage.clock.advance(3000);
  assert.equal(stage.errors.length, 3);
  stage.workerId = null;
  const before = stage.database.names.length;
  await stage.clock.advance(3000);
  assert.equal(stage.database.names.length, before);
});

test('stop waits for the round under way and none follows', async () => {
  const stage = new Stage();
  stage.database.always(claimDuty, ({ name }) => (name === 'lap' ? [{ position: '0' }] : []));
  await stage.clock.advance(1000);
  let stopped = false;
  void stage.maintenance.stop().then(() => (stopped = true));
  await turns();
  assert.equal(stopped, false);
  await stage.database.take(rescue).answer([]);
  await stage.database.take(moveLap).answer([]);
  assert.deepEqual([stopped, stage.clock.pending], [true, 0]);
});
