import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionError } from '../job/errors.js';
import type { EnqueueJobsParams, EnqueueJobsRow } from '../sql/generated/statements.gen.js';
import { enqueueJobs } from '../sql/generated/statements.gen.js';
import { HandClock, turns } from '../testing/hand-clock.js';
import { serverError, type Call } from '../testing/scripted-database.js';
import { ScriptedPool } from '../testing/scripted-pool.js';
import { SharedStatements } from './shared-statements.js';

/** Sessions of ours: two statements may be under way. Nobody rings, so no job goes alone. */
class Stage {
  readonly database = new ScriptedPool();
  readonly clock = new HandClock();
  readonly answers: string[] = [];
  readonly maxWaiting = 1000;
  readonly statements = new SharedStatements(this);

  constructor() {
    this.database.isPooled = false;
  }

  calls(...names: string[]): void {
    for (const name of names) void this.call(name);
  }

  /** Resolves once it is answered. */
  call(name: string): Promise<unknown> {
    const rest = { queue: 'default', priority: 5, runAtUs: null, delayMs: null, policy: null };
    const job = { kind: 'work', args: JSON.stringify(name), ...rest };
    return this.statements.store([job], false).then(
      (ids) => this.answers.push(ids.join(' ')),
      (error: unknown) => this.answers.push(`${name}: ${(error as { code: string }).code}`),
    );
  }

  /** Names of the jobs of every statement that is under way, in the order in which they were sent. */
  take(): Call<EnqueueJobsParams, EnqueueJobsRow>[] {
    const taken: Call<EnqueueJobsParams, EnqueueJobsRow>[] = [];
    while (this.database.waiting(enqueueJobs) > 0) taken.push(this.database.take(enqueueJobs));
    return taken;
  }
}

const namesIn = ({ params }: Call<EnqueueJobsParams, EnqueueJobsRow>): string =>
  params.args.map((text) => JSON.parse(text) as string).join('');

function answer(call: Call<EnqueueJobsParams, EnqueueJobsRow> | undefined): Promise<void> {
  assert.ok(call !== undefined, 'no such statement was sent');
  return call.answer(call.params.args.map((text) => ({ id: JSON.parse(text) as string })));
}

test('two statements are under way, each with half of what there is to store, in the order of the calls', async () => {
  const stage = new Stage();
  stage.calls('a');
  await turns();
  stage.calls('b', 'c', 'd', 'e', 'f', 'g', 'h');
  await turns();
  const [first, second, ...none] = stage.take();
  assert.deepEqual([first && namesIn(first), second && namesIn(second), none.length], ['a', 'bcde', 0]);
  await answer(first);
  const [third] = stage.take();
  assert.equal(third && namesIn(third), 'fgh');
  await answer(second);
  await answer(third);
  assert.deepEqual(stage.answers, ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
});

test('who was just answered and calls again shares the next statement with those that wait', async () => {
  const stage = new Stage();
  stage.database.isPooled = true;
  void stage.call('a').then(() => stage.calls('c'));
  await turns();
  void stage.call('b');
  await answer(stage.take()[0]);
  assert.deepEqual(stage.take().map(namesIn), ['bc']);
});

test('what fails for now is tried again before what came later, one statement at a time', async () => {
  const stage = new Stage();
  stage.calls('a');
  await turns();
  stage.calls('b');
  await turns();
  const [first, second] = stage.take();
  stage.calls('c');
  await first?.fail(serverError('55P03'));
  await second?.fail(serverError('55P03'));
  assert.equal(stage.take().length, 0);
  await stage.clock.advance(80);
  const [again, ...none] = stage.take();
  assert.deepEqual([again && namesIn(again), none.length], ['ab', 0]);
  await answer(again);
  assert.deepEqual(stage.take().map(namesIn), ['c']);
});

test('a lost line takes down what was under way on it, and nothing that follows on another', async () => {
  const stage = new Stage();
  stage.calls('a');
  await turns();
  stage.calls('b');
  await turns();
  const [first, second] = stage.take();
  await first?.fail(new ConnectionError('away'));
  stage.calls('c');
  await turns();
  const [third] = stage.take();
  assert.equal(third && namesIn(third), 'c');
  await second?.fail(new ConnectionError('away'));
  assert.deepEqual(stage.answers, ['a: CONNECTION', 'b: CONNECTION']);
  assert.equal(stage.database.openLines, 1);
  await answer(third);
  assert.equal(stage.database.openLines, 0);
});

test('a line is given back as soon as nothing is left, and no sooner', async () => {
  const stage = new Stage();
  for (const names of [['a'], ['b', 'c']]) {
    stage.calls(...names);
    await turns();
    assert.equal(stage.database.openLines, 1);
    while (stage.answers.length < (names.includes('a') ? 1 : 3))
      for (const call of stage.take()) await answer(call);
    assert.equal(stage.database.openLines, 0);
  }
});
