import assert from 'node:assert/strict';
import { test } from 'node:test';
import { workerConfig } from '../config/validate-worker.js';
import { defineJob } from '../job/define.js';
import { ConnectionError } from '../job/errors.js';
import { silentLogger } from '../observe/logger.js';
import { deferred, type Deferred } from '../runtime/deferred.js';
import {
  claimDuty,
  defineKinds,
  endWorker,
  pass,
  registerWorker,
  setIdle,
  settleAndClaim,
  settleFacts,
} from '../sql/generated/statements.gen.js';
import { HandClock, turns } from '../testing/hand-clock.js';
import { QuietKeeper } from '../testing/quiet-keeper.js';
import { diaryOf, type Diary } from '../testing/scene.js';
import { answerOf, claimOf } from '../testing/scripted-claims.js';
import { ScriptedDatabase } from '../testing/scripted-database.js';
import type { Claim } from './claim.js';
import { Worker } from './worker.js';

const work = defineJob('work');

/** A whole worker on scripted time and answers: its jobs are handed out by `give`. */
class Stage {
  readonly clock = new HandClock();
  readonly database = new ScriptedDatabase();
  readonly keeper = new QuietKeeper();
  readonly reasons: string[] = [];
  readonly goOn: Deferred<void> = deferred();
  readonly worker: Worker;
  readonly diary: Diary;
  #offered: Claim[] = [];

  constructor() {
    const handler = work.handle(async ({ signal }) => {
      signal.addEventListener('abort', () => this.reasons.push((signal.reason as { code: string }).code));
      await this.goOn.promise;
    });
    this.worker = new Worker({
      config: workerConfig({ handlers: [handler] }),
      database: this.database,
      keeper: this.keeper,
      clock: this.clock,
      logger: silentLogger,
      ready: () => Promise.resolve(),
      onStopped: () => undefined,
    });
    this.diary = diaryOf(this.worker);
    this.#script();
  }

  #script(): void {
    const lowest = JSON.stringify(Array.from({ length: 10 }, () => null));
    const nothing = { nextDue: null, pausedKinds: [], parked: '[]' };
    const clock = (): number => this.clock.now() * 1000;
    this.database.always(defineKinds, () => []);
    this.database.always(registerWorker, () => [{ workerId: '7' }]);
    this.database.always(endWorker, () => []);
    this.database.always(claimDuty, () => []);
    this.database.always(setIdle, () => []);
    this.database.always(pass, () => [{ clock: clock(), startedAt: 1, openEpoch: '0', lowest, ...nothing }]);
    this.database.always(settleAndClaim, ({ queues }) =>
      answerOf({ clock: clock(), startedAt: 1 }, queues.length > 0 ? this.#offered.splice(0) : []),
    );
  }

  async start(): Promise<void> {
    const started = this.worker.start();
    await turns(10);
    await started;
  }

  async give(...claims: Claim[]): Promise<void> {
    this.#offered = claims;
    await this.clock.advance(500);
  }

  get offered(): number {
    return this.#offered.length;
  }
}

test('a worker whose lease has run out tells its handlers, claims nothing, and says so', async () => {
  const stage = new Stage();
  await stage.start();
  await stage.give(claimOf());
  assert.equal(stage.diary.started.length, 1);
  stage.keeper.leaseEnds = stage.clock.now() + 1000;
  await stage.clock.advance(900);
  assert.deepEqual([stage.reasons, stage.worker.health().ok], [[], true]);
  await stage.clock.advance(300);
  assert.deepEqual(stage.reasons, ['LEASE_LOST']);
  assert.deepEqual(stage.worker.health().reasons, ['the lease could not be renewed in time']);
  await stage.give(claimOf());
  assert.equal(stage.offered, 1);
});

test('it claims again once the lease is renewed', async () => {
  const stage = new Stage();
  await stage.start();
  stage.keeper.leaseEnds = stage.clock.now() - 1;
  await stage.clock.advance(100);
  await stage.give(claimOf());
  assert.equal(stage.offered, 1);
  stage.keeper.leaseEnds = Infinity;
  await stage.clock.advance(500);
  assert.deepEqual([stage.offered, stage.diary.started.length, stage.worker.health().ok], [0, 1, true]);
});

test('a claim that is answered after the lease ran out is given back before it begins', async () => {
  const stage = new Stage();
  await stage.start();
  const late = claimOf();
  stage.database.never(settleAndClaim);
  await stage.clock.advance(500);
  stage.keeper.leaseEnds = stage.clock.now();
  await stage.clock.advance(300);
  await stage.database.take(settleAndClaim).answer(answerOf({ clock: 1, startedAt: 1 }, [late]));
  const { params } = stage.database.take(settleFacts);
  assert.deepEqual([params.ids, params.facts], [[late.id], ['{"outcome":"release"}']]);
  assert.equal(stage.diary.started.length, 0);
});

test('a stop ends though the database stays away: ten seconds for what is not stored, and no timer is left', async () => {
  const stage = new Stage();
  await stage.start();
  await stage.give(claimOf());
  const away = (): never => {
    throw new ConnectionError('away');
  };
  stage.database.always(settleAndClaim, away);
  stage.database.always(pass, away);
  stage.database.always(claimDuty, away);
  stage.database.always(endWorker, away);
  stage.goOn.resolve();
  await turns();
  let stopped = false;
  void stage.worker.stop().then(() => (stopped = true));
  await stage.clock.advance(9000);
  assert.equal(stopped, false);
  await stage.clock.advance(2000);
  assert.equal(stopped, true);
  const sent = stage.database.names.length;
  await stage.clock.advance(60_000);
  assert.deepEqual([stage.clock.pending, stage.database.names.length - sent], [0, 0]);
});
