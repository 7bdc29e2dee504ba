import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PollConfig } from '../config/validate-worker.js';
import { ConnectionError } from '../job/errors.js';
import { setIdle } from '../sql/generated/statements.gen.js';
import { HandClock, turns } from '../testing/hand-clock.js';
import { QuietKeeper } from '../testing/quiet-keeper.js';
import { ScriptedDatabase } from '../testing/scripted-database.js';
import type { Ring } from '../wake/doorbell.js';
import { Lanes } from './lanes.js';
import { ServerClock } from './server-clock.js';
import { Slots } from './slots.js';
import { Waker } from './waker.js';

const noon = 1_764_500_000_000_000;
const doorbell: PollConfig = { mode: 'doorbell', minMs: 20, maxMs: 1000, floorEveryMs: 250 };

/** A waker of two queues whose slots wait; every stir is counted and answered with "nothing there". */
class Stage {
  readonly clock = new HandClock();
  readonly database = new ScriptedDatabase();
  readonly keeper = new QuietKeeper();
  readonly lanes = new Lanes(2);
  readonly serverClock = new ServerClock(this.clock);
  readonly slots = ['mail', 'default'].map(
    (queue, index) => new Slots({ index, queue, concurrency: 10, prefetch: 500 }),
  );
  readonly errors: unknown[] = [];
  stirs = 0;
  isIdle = false;
  readonly named: string[] = [];
  readonly waker: Waker;

  constructor(poll: Partial<PollConfig> = {}) {
    this.waker = new Waker({
      database: this.database,
      clock: this.clock,
      serverClock: this.serverClock,
      keeper: this.keeper,
      lanes: this.lanes,
      slots: this.slots,
      poll: { ...doorbell, ...poll },
      stir: () => (this.stirs += 1),
      claimNamed: (_slots, { queue, id }) => this.isIdle && this.named.push(`${queue} ${id}`) > 0,
      onError: (error) => this.errors.push(error),
    });
    this.drowse();
    this.serverClock.hear({ clock: noon, sentAt: this.clock.now(), startedAt: 1 });
  }

  drowse(): void {
    for (const slots of this.slots) slots.fellShort(slots.wakes);
  }

  get awake(): string[] {
    return this.slots.filter(({ eager }) => eager).map(({ queue }) => queue);
  }
}

function ring(fields: Partial<Ring> = {}): Ring {
  return { queue: 'mail', runAtUs: noon - 1000, count: 1, random: 0, id: null, ...fields };
}

test('a ring wakes its queue at once and lets its claim look at the range that was rung for', () => {
  const stage = new Stage();
  for (const queue of [0, 1]) stage.lanes.advance(queue, 5, { runAt: noon, id: '9' });
  stage.waker.answer(ring());
  assert.deepEqual([stage.awake, stage.stirs], [['mail'], 1]);
  assert.equal(stage.lanes.startsOf([0]).runAts[5], noon - 1001);
  assert.equal(stage.lanes.startsOf([1]).runAts[5], noon);
});

test('an idle worker claims the job that a ring names, and looks no further', async () => {
  const stage = new Stage();
  stage.isIdle = true;
  stage.waker.answer(ring({ id: '77' }));
  assert.deepEqual([stage.named, stage.awake, stage.stirs], [['mail 77'], [], 0]);
  stage.keeper.peers = { count: 4, rank: 2 };
  stage.waker.answer(ring({ id: '78' }));
  assert.deepEqual(stage.named, ['mail 77']);
  await stage.clock.advance(6);
  assert.deepEqual([stage.named, stage.awake], [['mail 77', 'mail 78'], []]);
});

test('a worker that is not idle looks at the range of a ring, whatever it names', () => {
  const stage = new Stage();
  stage.waker.answer(ring({ id: '77' }));
  assert.deepEqual([stage.named, stage.awake, stage.stirs], [[], ['mail'], 1]);
});

test('a job that is due later is not claimed by name before', () => {
  const stage = new Stage();
  stage.isIdle = true;
  stage.waker.answer(ring({ id: '77', runAtUs: noon + 700_400 }));
  assert.deepEqual([stage.named, stage.awake], [[], []]);
});

test('a ring for a queue that is not served is nothing', () => {
  const stage = new Stage();
  stage.waker.answer(ring({ queue: 'other' }));
  assert.deepEqual([stage.awake, stage.stirs, stage.clock.pending], [[], 0, 0]);
});

test('of several workers each answers in its turn', async () => {
  const stage = new Stage();
  stage.keeper.peers = { count: 4, rank: 2 };
  stage.waker.answer(ring());
  assert.equal(stage.stirs, 0);
  await stage.clock.advance(6);
  assert.deepEqual([stage.awake, stage.stirs], [['mail'], 1]);
});

test('a ring for a job that may be due already is answered at once, and again when it surely is', async () => {
  const stage = new Stage();
  stage.waker.answer(ring({ runAtUs: noon + 900 }));
  assert.deepEqual([stage.awake, stage.stirs], [['mail'], 1]);
  stage.drowse();
  await stage.clock.advance(1);
  assert.deepEqual([stage.awake, stage.stirs], [['mail', 'default'], 2]);
});

test('a ring for a job that is due later is answered then, not before', async () => {
  const stage = new Stage();
  stage.waker.answer(ring({ runAtUs: noon + 700_400 }));
  await stage.clock.advance(700);
  assert.equal(stage.stirs, 0);
  await stage.clock.advance(1);
  assert.equal(stage.stirs, 1);
});

test('a ring heard before the database has told its time is answered at once', async () => {
  const stage = new Stage();
  const early = new Waker({ ...optionsOf(stage), serverClock: new ServerClock(stage.clock) });
  early.answer(ring());
  assert.deepEqual([stage.awake, stage.stirs], [['mail'], 1]);
  await early.stop();
});

function optionsOf(stage: Stage): ConstructorParameters<typeof Waker>[0] {
  const { database, clock, serverClock, keeper, lanes, slots } = stage;
  const stir = (): void => void (stage.stirs += 1);
  return {
    database,
    clock,
    serverClock,
    keeper,
    lanes,
    slots,
    stir,
    claimNamed: () => false,
    poll: doorbell,
    onError: () => assert.fail(),
  };
}

test('the next due time has a timer, and each later one after it', async () => {
  const stage = new Stage();
  stage.waker.dueAt(noon + 500_000);
  stage.waker.dueAt(noon + 200_000);
  stage.waker.dueAt(noon + 900_000);
  assert.equal(stage.clock.pending, 1);
  await stage.clock.advance(200);
  assert.deepEqual([stage.awake, stage.stirs], [['mail', 'default'], 1]);
  await stage.clock.advance(300);
  assert.equal(stage.stirs, 2);
  await stage.clock.advance(400);
  assert.equal(stage.stirs, 3);
  assert.equal(stage.clock.pending, 0);
});

test('a job due in a hundred years does not fire now', async () => {
  const stage = new Stage();
  stage.waker.dueAt(noon + 100 * 365 * 86_400_000_000);
  await stage.clock.advance(86_400_000);
  assert.equal(stage.stirs, 0);
});

test('with the doorbell, an idle worker registers as idle, claims once more, and then waits', async () => {
  const stage = new Stage();
  stage.waker.idle();
  const { params, answer } = stage.database.take(setIdle);
  assert.equal(params.forMs, 2000);
  assert.equal(stage.stirs, 0);
  await answer([{ idleUntil: noon }]);
  assert.deepEqual([stage.awake, stage.stirs], [['mail', 'default'], 1]);
});

test('the register is set at most once a second', async () => {
  const stage = new Stage();
  stage.database.always(setIdle, () => [{ idleUntil: noon }]);
  for (let ms = 0; ms < 3000; ms += 50) {
    stage.waker.idle();
    await stage.clock.advance(50);
  }
  assert.equal(stage.database.names.length, 3);
});

test('a worker that stays idle stays registered, however seldom its passes come', async () => {
  const stage = new Stage({ floorEveryMs: 3_600_000 });
  stage.database.always(setIdle, () => [{ idleUntil: noon }]);
  stage.waker.idle();
  for (let ms = 0; ms < 20_000; ms += 100) {
    await stage.clock.advance(100);
    // What the cycle does: it claims, gets less than it asked for, and tells so.
    if (stage.awake.length > 0) {
      stage.drowse();
      stage.waker.idle();
    }
  }
  assert.ok(
    stage.database.names.length >= 10,
    `registered ${String(stage.database.names.length)} times in 20 s`,
  );
});

test('a register that could not be set is tried again when next idle', async () => {
  const stage = new Stage();
  stage.waker.idle();
  await stage.database.take(setIdle).fail(new ConnectionError('away'));
  assert.equal(stage.errors.length, 1);
  stage.waker.idle();
  assert.equal(stage.database.waiting(setIdle), 1);
});

test('while rings cannot be heard the database is polled, ever less often up to the limit', async () => {
  const stage = new Stage();
  stage.keeper.listening = false;
  const waits: number[] = [];
  for (let polls = 0; polls < 8; polls += 1) {
    stage.waker.idle();
    const before = stage.stirs;
    let waited = 0;
    for (; stage.stirs === before; waited += 20) await stage.clock.advance(20);
    waits.push(waited);
  }
  assert.deepEqual(waits, [20, 40, 80, 160, 320, 640, 1000, 1000]);
  stage.waker.found();
  stage.waker.idle();
  await stage.clock.advance(20);
  assert.equal(stage.stirs, 9);
  assert.deepEqual(stage.database.names, []);
});

test('a worker told to poll does only that: it answers no ring and is not in the register', async () => {
  const stage = new Stage({ mode: 'poll', minMs: 50 });
  stage.waker.answer(ring());
  assert.equal(stage.stirs, 0);
  stage.waker.idle();
  await stage.clock.advance(50);
  assert.deepEqual([stage.stirs, stage.database.names], [1, []]);
});

test('after stop no timer is left and nothing is under way', async () => {
  const stage = new Stage();
  stage.keeper.peers = { count: 4, rank: 2 };
  stage.waker.answer(ring());
  stage.waker.dueAt(noon + 500_000);
  stage.waker.idle();
  let stopped = false;
  void stage.waker.stop().then(() => (stopped = true));
  await turns();
  assert.equal(stopped, false);
  await stage.database.take(setIdle).answer([{ idleUntil: noon }]);
  assert.deepEqual([stopped, stage.clock.pending], [true, 0]);
});
