import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionError, OutcomeUnknownError } from '../job/errors.js';
import type { SettleAndClaimParams, SettleAndClaimRow } from '../sql/generated/statements.gen.js';
import { settleAndClaim } from '../sql/generated/statements.gen.js';
import { answerOf, claimOf } from '../testing/scripted-claims.js';
import { HandClock, turns } from '../testing/hand-clock.js';
import { ScriptedDatabase, serverError, type Call } from '../testing/scripted-database.js';
import type { Claim } from './claim.js';
import { Cycle } from './cycle.js';
import { Lanes } from './lanes.js';
import { Slots } from './slots.js';

/** A cycle of one queue, and what it tells. */
class Stage {
  readonly database = new ScriptedDatabase();
  readonly clock = new HandClock();
  readonly lanes = new Lanes(1);
  readonly slots: Slots;
  readonly claimed: Claim[] = [];
  readonly told: string[] = [];
  workerId: string | null = '7';
  hasPeers = false;
  readonly cycle: Cycle;

  constructor({ concurrency = 10, prefetch = 500 } = {}) {
    this.slots = new Slots({ index: 0, queue: 'default', concurrency, prefetch });
    this.cycle = new Cycle({
      database: this.database,
      clock: this.clock,
      lanes: this.lanes,
      slots: [this.slots],
      claimant: () => this.workerId,
      hasPeers: () => this.hasPeers,
      parked: () => [['default', 'rare']],
      onReport: ({ dead }) => this.#tell('dead', dead === null ? [] : [dead]),
      onClaims: (claims) => {
        this.claimed.push(...claims);
        this.slots.running += claims.length;
      },
      onSettled: ({ id }) => this.#tell('settled', [id]),
      onMissed: (done, doubt) =>
        this.#tell(
          doubt ? 'doubtful' : 'missed',
          done.map(({ claim }) => claim.id),
        ),
      onUnknownClaim: (workerId) => this.#tell('unknown claim of', [workerId]),
      onError: (error) => this.#tell('error', [(error as Error).message.slice(0, 20)]),
      onIdle: () => this.#tell('idle', ['']),
    });
  }

  #tell(what: string, about: readonly string[]): void {
    if (about.length > 0) this.told.push(`${what} ${about.join(' ')}`.trim());
  }

  async stir(): Promise<void> {
    this.cycle.stir();
    await turns();
  }

  async complete(...ids: string[]): Promise<void> {
    for (const id of ids) this.cycle.complete({ claim: claimOf({ id }), output: null });
    await turns();
  }

  take(): Call<SettleAndClaimParams, SettleAndClaimRow> {
    return this.database.take(settleAndClaim);
  }
}

const ids = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, n) => String(from + n));

test('an idle process claims as many jobs as it has slots, from its heads, parked kinds included', async () => {
  const stage = new Stage();
  await stage.stir();
  const { params } = stage.take();
  assert.equal(params.workerId, '7');
  assert.deepEqual([params.queues, params.slots, params.ids], [['default'], [10], []]);
  assert.deepEqual([params.parkedQueues, params.parkedKinds], [['default'], ['rare']]);
  assert.deepEqual(
    params.headRunAts,
    Array.from({ length: 10 }, () => 0),
  );
  assert.equal(stage.database.waiting(settleAndClaim), 0);
});

test('what was claimed is handed on, moves the head of its lane, and the queue is asked for more', async () => {
  const stage = new Stage();
  await stage.stir();
  const claims = ids(1, 10).map((id) => claimOf({ id, runAt: 500 }));
  await stage.take().answer(answerOf({}, claims));
  assert.deepEqual(stage.claimed, claims);
  assert.equal(stage.slots.asked, 0);
  assert.equal(stage.slots.eager, true);
  assert.deepEqual(stage.lanes.startsOf([0]).ids[5], '10');
});

test('parked jobs do not move the head: they lie in lanes of their own', async () => {
  const stage = new Stage();
  await stage.stir();
  await stage.take().answer(answerOf({}, [claimOf({ id: '3', parked: true })]));
  assert.equal(stage.lanes.startsOf([0]).ids[5], '0');
});

test('a claim that comes back short is the last one until something is heard', async () => {
  const stage = new Stage();
  await stage.stir();
  await stage.take().answer(answerOf({}, [claimOf()]));
  assert.deepEqual(stage.told, ['idle']);
  await stage.stir();
  assert.equal(stage.database.waiting(settleAndClaim), 0);
  stage.slots.wake();
  await stage.stir();
  assert.deepEqual(stage.take().params.slots, [9]);
});

test('a ring heard while a claim is under way is followed by another claim', async () => {
  const stage = new Stage();
  await stage.stir();
  const call = stage.take();
  stage.slots.wake();
  await stage.stir();
  await call.answer(answerOf());
  assert.deepEqual(stage.told, []);
  await stage.take().answer(answerOf());
  assert.deepEqual(stage.told, ['idle']);
});

test('what is done goes at once when nothing is under way, and shares one statement with the next claim', async () => {
  const stage = new Stage();
  await stage.complete('1', '2', '3');
  const { params, answer } = stage.take();
  assert.deepEqual(params.ids, ['1', '2', '3']);
  assert.deepEqual(
    [params.tids, params.claimNos, params.outputs],
    [['(1,1)', '(2,1)', '(3,1)'], [1, 1, 1], null],
  );
  assert.deepEqual(params.slots, [10]);
  await answer(answerOf({ missed: ['2:1'] }));
  assert.deepEqual(stage.told.slice(0, 3), ['settled 1', 'settled 3', 'missed 2']);
});

test('outputs are sent only where there is one', async () => {
  const stage = new Stage();
  stage.cycle.complete({ claim: claimOf({ id: '1' }), output: '{"n":1}' });
  stage.cycle.complete({ claim: claimOf({ id: '2' }), output: null });
  await turns();
  assert.equal(stage.take().params.outputs, '{"1:1":{"n":1}}');
});

test('while a statement is under way, what is done waits for company, but five milliseconds at most', async () => {
  const stage = new Stage();
  await stage.complete('1');
  const first = stage.take();
  await stage.complete('2', '3');
  assert.equal(stage.database.waiting(settleAndClaim), 0);
  await stage.clock.advance(5);
  assert.deepEqual(stage.take().params.ids, ['2', '3']);
  await first.answer(answerOf());
});

test('a few settles go along with a claim; many go in a statement of their own, beside it', async () => {
  const stage = new Stage();
  await stage.complete(...ids(1, 50));
  const fused = stage.take();
  assert.deepEqual([fused.params.ids.length, fused.params.slots], [50, [10]]);
  await fused.answer(answerOf());
  stage.slots.wake();
  await stage.complete(...ids(100, 51));
  assert.deepEqual([stage.take().params.ids, stage.cycle.underWay], [[], 1]);
  assert.equal(stage.database.waiting(settleAndClaim), 0);
  await stage.clock.advance(5);
  const settles = stage.take().params;
  assert.deepEqual([settles.ids.length, settles.queues, settles.workerId], [51, [], '0']);
});

test('a full batch of settles does not wait; a second one goes where one claim or none is under way, a third never', async () => {
  const stage = new Stage({ concurrency: 120, prefetch: 60 });
  await stage.stir();
  const [claim] = [stage.take(), stage.take()];
  await stage.complete(...ids(1000, 500));
  assert.equal(stage.take().params.ids.length, 500);
  await stage.complete(...ids(2000, 600));
  await stage.clock.advance(100);
  assert.equal(stage.database.waiting(settleAndClaim), 0);
  await claim.answer(answerOf());
  assert.equal(stage.take().params.ids.length, 600);
  await stage.complete(...ids(3000, 700));
  await stage.clock.advance(100);
  assert.equal(stage.database.waiting(settleAndClaim), 0);
  assert.equal(stage.cycle.underWay, 3);
});

test('claims wait while eight thousand jobs are done and not sent: a crash would run them again', async () => {
  const stage = new Stage();
  await stage.stir();
  const claim = stage.take();
  await stage.complete(...ids(1, 500));
  await stage.complete(...ids(1000, 500));
  const [first] = [stage.take(), stage.take()];
  await stage.complete(...ids(2000, 8000));
  await claim.answer(answerOf({}, [claimOf({ id: '9' })]));
  stage.slots.wake();
  await stage.stir();
  assert.equal(stage.database.waiting(settleAndClaim), 0);
  await first.answer(answerOf());
  assert.deepEqual([stage.take().params.ids.length, stage.take().params.slots], [4000, [9]]);
});

test('a second claim follows while the first is under way if there is room for many jobs, a third never', async () => {
  const stage = new Stage({ concurrency: 200, prefetch: 60 });
  await stage.stir();
  assert.deepEqual(stage.take().params.slots, [60]);
  assert.deepEqual(stage.take().params.slots, [60]);
  await stage.stir();
  assert.equal(stage.database.waiting(settleAndClaim), 0);
});

test('beside other workers one claim at a time is under way, and then a second batch of settles beside none', async () => {
  const stage = new Stage({ concurrency: 200, prefetch: 60 });
  stage.hasPeers = true;
  await stage.stir();
  const claim = stage.take();
  await stage.complete(...ids(1, 500));
  const settles = stage.take();
  await stage.complete(...ids(1000, 500));
  assert.equal(stage.database.waiting(settleAndClaim), 0);
  stage.workerId = null;
  await claim.answer(answerOf());
  assert.equal(stage.take().params.ids.length, 500);
  await settles.answer(answerOf());
});

test('a statement settles four thousand jobs at most', async () => {
  const stage = new Stage();
  stage.workerId = null;
  await stage.complete(...ids(1, 4500));
  assert.deepEqual(stage.take().params.ids.length, 4000);
});

test('a statement that surely did not happen for want of a connection is sent again, in the old order', async () => {
  const stage = new Stage();
  await stage.complete('1', '2');
  await stage.take().fail(new ConnectionError('database is away'));
  await stage.complete('3');
  assert.deepEqual(stage.told, ['error database is away']);
  assert.equal(stage.database.waiting(settleAndClaim), 0);
  await stage.clock.advance(2000);
  assert.deepEqual(stage.take().params.ids, ['1', '2', '3']);
  assert.equal(stage.slots.asked, 10);
});

test('failures are followed by growing pauses, which an answer ends', async () => {
  const stage = new Stage();
  for (let failures = 0; failures < 12; failures += 1) {
    await stage.complete(String(failures));
    await stage.clock.advance(2000);
    await stage.take().fail(new ConnectionError('away'));
  }
  await stage.clock.advance(900);
  assert.equal(stage.database.waiting(settleAndClaim), 0);
  await stage.clock.advance(1100);
  await stage.take().answer(answerOf());
  await stage.complete('99');
  assert.deepEqual(stage.take().params.ids, ['99']);
});

test('a statement that was cut off leaves doubt: its settles are looked up, its worker id ends', async () => {
  const stage = new Stage();
  await stage.complete('1', '2');
  await stage.take().fail(new OutcomeUnknownError('cut off'));
  assert.deepEqual(stage.told, ['doubtful 1 2', 'unknown claim of 7', 'error cut off']);
  await stage.clock.advance(2000);
  assert.deepEqual(stage.take().params.ids, []);
});

test('a settle that claimed nothing ends no worker id when it is cut off', async () => {
  const stage = new Stage();
  stage.workerId = null;
  await stage.complete('1');
  const { params, fail } = stage.take();
  assert.deepEqual([params.workerId, params.queues], ['0', []]);
  await fail(new OutcomeUnknownError('cut off'));
  assert.deepEqual(stage.told, ['doubtful 1', 'error cut off']);
});

test('a statement that the server refused is settled row by row elsewhere', async () => {
  const stage = new Stage();
  await stage.complete('1', '2');
  await stage.take().fail(serverError('22P02'));
  assert.deepEqual(stage.told, ['missed 1 2', 'error refused with 22P02']);
});

test('a worker id that is dead is reported, and without one nothing is claimed', async () => {
  const stage = new Stage();
  await stage.stir();
  await stage.take().answer(answerOf({ alive: false }));
  assert.deepEqual(stage.told, ['dead 7', 'idle']);
  stage.workerId = null;
  stage.slots.wake();
  await stage.stir();
  assert.equal(stage.database.waiting(settleAndClaim), 0);
});
test('after stop nothing is sent any more, not even what failed before', async () => {
  const stage = new Stage();
  await stage.complete('1');
  const call = stage.take();
  stage.cycle.stop();
  await call.fail(new ConnectionError('away'));
  await stage.clock.advance(10_000);
  assert.equal(stage.database.waiting(settleAndClaim), 0);
  assert.equal(stage.clock.pending, 0);
});
