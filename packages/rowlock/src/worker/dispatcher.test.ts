import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineJob } from '../job/define.js';
import { ShutdownError } from '../job/errors.js';
import type { Handler } from '../job/handler.js';
import { deferred, type Deferred } from '../runtime/deferred.js';
import { claimOf } from '../testing/scripted-claims.js';
import { HandClock, turns } from '../testing/hand-clock.js';
import type { Claim } from './claim.js';
import { Dispatcher } from './dispatcher.js';
import { Slots } from './slots.js';

/** A dispatcher whose handlers of kind `work` run until told to end. */
class Stage {
  readonly clock = new HandClock();
  readonly slots = new Slots({ index: 0, queue: 'default', concurrency: 2, prefetch: 500 });
  readonly started: Claim[] = [];
  readonly ended: string[] = [];
  readonly unserved: Claim[] = [];
  readonly pausedKinds = new Set<string>();
  readonly dispatcher: Dispatcher;
  readonly #runs = new Map<string, Deferred<void>>();

  constructor() {
    const handler = defineJob('work').handle(async ({ job, signal }) => {
      const run = deferred();
      this.#runs.set(job.id, run);
      await run.promise;
      signal.throwIfAborted();
    });
    this.dispatcher = this.dispatcherOf(handler);
  }

  dispatcherOf(handler: Handler): Dispatcher {
    return new Dispatcher({
      handlers: new Map<string, Handler>([[handler.definition.kind, handler]]),
      slots: [this.slots],
      clock: this.clock,
      mayRun: (kind) => !this.pausedKinds.has(kind),
      onStart: (claim) => this.started.push(claim),
      onAttemptEnded: (claim, fact) => this.ended.push(`${claim.id} ${fact.outcome}`),
      onUnserved: (claim) => this.unserved.push(claim),
    });
  }

  async end({ id }: Claim): Promise<void> {
    this.#runs.get(id)?.resolve();
    await turns();
  }
}

const work = (count: number): Claim[] => Array.from({ length: count }, () => claimOf());

test('handlers that end at once are run one after another, however many there are', () => {
  const stage = new Stage();
  const instant = defineJob('instant').handle(() => undefined);
  const claims = Array.from({ length: 100_000 }, () => claimOf({ kind: 'instant' }));
  const dispatcher = stage.dispatcherOf(instant);
  dispatcher.accept(claims);
  assert.equal(stage.ended.length, 100_000);
  assert.deepEqual([stage.slots.running, stage.slots.waiting, dispatcher.running.size], [0, 0, 0]);
});

test('no more handlers run than the queue has slots; the next one starts when one ends', async () => {
  const stage = new Stage();
  const [a, b, c] = work(3) as [Claim, Claim, Claim];
  stage.dispatcher.accept([a, b, c]);
  await turns();
  assert.deepEqual(stage.started, [a, b]);
  assert.deepEqual([stage.slots.running, stage.slots.waiting], [2, 1]);
  await stage.end(b);
  assert.deepEqual(stage.started, [a, b, c]);
  assert.deepEqual(stage.ended, [`${b.id} completed`]);
  assert.deepEqual([stage.slots.running, stage.slots.waiting], [2, 0]);
  for (const claim of [a, c]) await stage.end(claim);
  assert.deepEqual([stage.slots.running, stage.dispatcher.running.size], [0, 0]);
});

test('a kind that has no handler here, or is paused, takes no slot', () => {
  const stage = new Stage();
  const unknown = claimOf({ kind: 'elsewhere' });
  stage.pausedKinds.add('work');
  const paused = claimOf();
  stage.dispatcher.accept([unknown, paused]);
  assert.deepEqual(stage.unserved, [unknown, paused]);
  assert.deepEqual([stage.started, stage.slots.running, stage.slots.waiting], [[], 0, 0]);
});

test('what has waited too long for a slot is taken back, what came since is not', async () => {
  const stage = new Stage();
  const early = work(3);
  stage.dispatcher.accept(early);
  await stage.clock.advance(1000);
  const late = work(1);
  stage.dispatcher.accept(late);
  assert.deepEqual(stage.dispatcher.withdraw(stage.clock.now()), early.slice(2));
  assert.equal(stage.slots.waiting, 1);
  await stage.end(early[0]!);
  assert.deepEqual(stage.started, [...early.slice(0, 2), ...late]);
});

test('an abort reaches every running handler', async () => {
  const stage = new Stage();
  const claims = work(2);
  stage.dispatcher.accept(claims);
  await turns();
  stage.dispatcher.running.abortAll(new ShutdownError());
  for (const claim of claims) await stage.end(claim);
  assert.deepEqual(
    stage.ended,
    claims.map(({ id }) => `${id} release`),
  );
});
