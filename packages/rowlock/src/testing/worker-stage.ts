import type { WorkerOptions } from '../config/options.js';
import { workerConfig } from '../config/validate-worker.js';
import { defineJob } from '../job/define.js';
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
} from '../sql/generated/statements.gen.js';
import type { Claim } from '../worker/claim.js';
import { Worker } from '../worker/worker.js';
import { HandClock, turns } from './hand-clock.js';
import { QuietKeeper } from './quiet-keeper.js';
import { diaryOf, type Diary } from './scene.js';
import { answerOf } from './scripted-claims.js';
import { ScriptedDatabase } from './scripted-database.js';

const work = defineJob('work');

/** A whole worker on scripted time and answers: its jobs are handed out by `give`. */
export class WorkerStage {
  readonly clock = new HandClock();
  readonly database = new ScriptedDatabase();
  readonly keeper = new QuietKeeper();
  readonly reasons: string[] = [];
  readonly goOn: Deferred<void> = deferred();
  readonly worker: Worker;
  readonly diary: Diary;
  #offered: Claim[] = [];

  constructor(options: Pick<WorkerOptions, 'queues' | 'prefetch'> = {}) {
    const handler = work.handle(async ({ signal }) => {
      signal.addEventListener('abort', () => this.reasons.push((signal.reason as { code: string }).code));
      await this.goOn.promise;
    });
    this.worker = new Worker({
      config: workerConfig({ handlers: [handler], ...options }),
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
