import { defineJob } from '../job/define.js';
import { deferred } from '../runtime/deferred.js';
import { defineKinds, registerWorker } from '../sql/generated/statements.gen.js';
import type { Claim } from '../worker/claim.js';
import { Incarnation } from '../worker/incarnation.js';
import { HandClock, turns } from './hand-clock.js';
import { QuietKeeper } from './quiet-keeper.js';
import { ScriptedDatabase } from './scripted-database.js';

export const mail = defineJob('mail', {
  queue: 'post',
  priority: 2,
  keep: 'short',
  keepArgs: false,
  maxAttempts: 3,
});
const kinds = [mail.handle(() => undefined).definition];

/** Kinds are defined at once; registrations and successions wait for the test. */
export class IncarnationStage {
  readonly clock = new HandClock();
  readonly database = new ScriptedDatabase();
  readonly keeper = new QuietKeeper();
  readonly held: Claim[] = [];
  readonly registered: string[] = [];
  readonly errors: unknown[] = [];
  claimsAnswered = deferred();
  readonly incarnation = new Incarnation({
    database: this.database,
    keeper: this.keeper,
    clock: this.clock,
    leaseMs: 15_000,
    queues: ['post'],
    kinds,
    held: () => this.held,
    claimsAnswered: () => this.claimsAnswered.promise,
    onRegistered: (workerId) => this.registered.push(workerId),
    onError: (error) => this.errors.push(error),
  });

  constructor() {
    this.claimsAnswered.resolve();
    this.database.always(defineKinds, () => []);
  }

  async begin(workerId: string): Promise<void> {
    const begun = this.incarnation.begin();
    await this.register(workerId);
    await begun;
  }

  async register(workerId: string): Promise<void> {
    await turns();
    await this.database.take(registerWorker).answer([{ workerId }]);
  }
}
