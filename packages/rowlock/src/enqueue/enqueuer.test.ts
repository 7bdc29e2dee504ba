import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { test } from 'node:test';
import { ConnectionError, OutcomeUnknownError } from '../job/errors.js';
import type { EnqueueJobsParams, EnqueueJobsRow } from '../sql/generated/statements.gen.js';
import { enqueueAlone, enqueueJobs, liftTransactionTimeout } from '../sql/generated/statements.gen.js';
import { HandClock, turns } from '../testing/hand-clock.js';
import { serverError, type Call } from '../testing/scripted-database.js';
import { ScriptedPool } from '../testing/scripted-pool.js';
import type { NewJob } from './batch.js';
import { Enqueuer } from './enqueuer.js';

const ready = { ready: () => Promise.resolve(), readyIn: () => Promise.resolve() };

class Stage {
  readonly database = new ScriptedPool();
  readonly clock = new HandClock();
  readonly answers: string[] = [];
  readonly enqueuer: Enqueuer;

  constructor(maxWaiting = 100_000) {
    this.enqueuer = new Enqueuer({ database: this.database, clock: this.clock, maxWaiting, schema: ready });
  }

  /** Calls without waiting; the answer is noted as `name: ids` or `name: code`. */
  async call(name: string, jobs: readonly NewJob[], wake?: boolean): Promise<void> {
    this.enqueuer.enqueue(jobs, wake === undefined ? {} : { wake }).then(
      (ids) => this.answers.push(`${name}: ${ids.join(' ')}`),
      (error: unknown) => this.answers.push(`${name}: ${(error as { code: string }).code}`),
    );
    await turns(1);
  }

  /** Fails for the sake of another transaction: nothing is sent again before a pause. */
  async failForNow(state: string): Promise<void> {
    await this.take().fail(serverError(state));
    assert.equal(this.database.waiting(enqueueJobs), 0);
    await this.clock.advance(80);
  }

  take(): Call<EnqueueJobsParams, EnqueueJobsRow> {
    return this.database.take(enqueueJobs);
  }
}

function jobs(...names: string[]): NewJob[] {
  const rest = { queue: 'default', priority: 5, runAtUs: null, delayMs: null, policy: null };
  return names.map((name) => ({ kind: 'work', args: JSON.stringify(name), ...rest }));
}

const idsOf = ({ params }: Call<EnqueueJobsParams, EnqueueJobsRow>): EnqueueJobsRow[] =>
  params.args.map((text) => ({ id: `id-${JSON.parse(text) as string}` }));

test('the first call goes at once; those that come meanwhile share the next statement, in their order', async () => {
  const stage = new Stage();
  await stage.call('a', jobs('1'));
  const first = stage.take();
  await stage.call('b', jobs('2', '3'));
  await stage.call('c', jobs('4'));
  assert.equal(stage.database.waiting(enqueueJobs), 0);
  await first.answer(idsOf(first));
  const second = stage.take();
  assert.deepEqual(second.params.args, ['"2"', '"3"', '"4"']);
  await second.answer(idsOf(second));
  assert.deepEqual(stage.answers, ['a: id-1', 'b: id-2 id-3', 'c: id-4']);
  assert.deepEqual(stage.database.transactions, []);
});

test('calls that ask for a ring share no statement with those that ask for none', async () => {
  const stage = new Stage();
  await stage.call('a', jobs('1'));
  for (const [name, wake] of [
    ['b', true],
    ['c', false],
    ['d', false],
    ['e', true],
  ] as const)
    await stage.call(name, jobs(name), wake);
  const sent: unknown[] = [];
  for (let statements = 0; statements < 4; statements += 1) {
    const call = stage.take();
    sent.push([call.params.args.length, call.params.wake]);
    await call.answer(idsOf(call));
  }
  assert.deepEqual(sent, [
    [1, true],
    [1, true],
    [2, false],
    [1, true],
  ]);
});

test('no jobs are no statement', async () => {
  const stage = new Stage();
  assert.deepEqual(await stage.enqueuer.enqueue([], {}), []);
  assert.deepEqual(stage.database.names, []);
});

test('a call that the server refuses fails alone; the others of its statement are stored, in their order', async () => {
  const stage = new Stage();
  await stage.call('a', jobs('1'));
  const first = stage.take();
  for (const name of ['b', 'bad', 'c']) await stage.call(name, jobs(name));
  await first.answer(idsOf(first));
  await stage.take().fail(serverError('22P05'));
  await stage.call('d', jobs('d'));
  const sent: string[] = [];
  while (stage.database.waiting(enqueueJobs) > 0) {
    const call = stage.take();
    sent.push(call.params.args.join());
    if (call.params.args.includes('"bad"')) await call.fail(serverError('22P05'));
    else await call.answer(idsOf(call));
  }
  assert.deepEqual(sent, ['"b"', '"bad"', '"c"', '"d"']);
  assert.deepEqual(stage.answers, ['a: id-1', 'b: id-b', 'bad: 22P05', 'c: id-c', 'd: id-d']);
});

test('a statement of unknown outcome is never sent again, and each of its calls is told', async () => {
  const stage = new Stage();
  await stage.call('a', jobs('1'));
  const first = stage.take();
  await stage.call('b', jobs('2'));
  await stage.call('c', jobs('3'));
  await first.fail(new OutcomeUnknownError('cut off'));
  await stage.take().fail(new OutcomeUnknownError('cut off'));
  assert.equal(stage.database.waiting(enqueueJobs), 0);
  assert.deepEqual(stage.answers, ['a: OUTCOME_UNKNOWN', 'b: OUTCOME_UNKNOWN', 'c: OUTCOME_UNKNOWN']);
});

test('without a connection calls fail at once; the next ones try again', async () => {
  const stage = new Stage();
  await stage.call('a', jobs('1'));
  await stage.take().fail(new ConnectionError('away'));
  await stage.call('b', jobs('2'));
  const call = stage.take();
  await call.answer(idsOf(call));
  assert.deepEqual(stage.answers, ['a: CONNECTION', 'b: id-2']);
});

test('deadlocks and lock time-outs are tried again, in order, but not for ever', async () => {
  const stage = new Stage();
  await stage.call('a', jobs('1'));
  await stage.call('b', jobs('2'));
  for (const state of ['40P01', '55P03', '40001']) await stage.failForNow(state);
  const call = stage.take();
  assert.deepEqual(call.params.args, ['"1"', '"2"']);
  await call.answer(idsOf(call));
  await stage.call('c', jobs('3'));
  await stage.call('d', jobs('4'));
  for (let tries = 1; tries < 50; tries += 1) await stage.failForNow('55P03');
  await stage.take().fail(serverError('55P03'));
  // Those that wait for one lock are refused together, not each after as long again.
  assert.deepEqual(stage.answers.slice(-2), ['c: 55P03', 'd: 55P03']);
});

test('more waiting jobs than allowed are refused before anything is sent, and places come free again', async () => {
  const stage = new Stage(3);
  await stage.call('a', jobs('1', '2'));
  await stage.call('b', jobs('3', '4'));
  await stage.call('c', jobs('5'));
  assert.deepEqual(stage.answers, ['b: ENQUEUE_OVERLOADED']);
  await stage.take().fail(new ConnectionError('away'));
  const call = stage.take();
  await call.answer(idsOf(call));
  await stage.call('d', jobs('6', '7', '8'));
  assert.deepEqual(stage.take().params.args, ['"6"', '"7"', '"8"']);
});

test('one call may hold more jobs than may wait, if nothing waits', async () => {
  const stage = new Stage(3);
  await stage.call('a', jobs('1', '2', '3', '4', '5'));
  await stage.call('b', jobs('6'));
  assert.deepEqual(stage.answers, ['b: ENQUEUE_OVERLOADED']);
  assert.equal(stage.take().params.args.length, 5);
});

test('more jobs than one statement should hold go in parts, all in one transaction', async () => {
  const stage = new Stage(10);
  const many = Array.from({ length: 25_000 }, (_, n) => jobs(String(n))[0]!);
  const stored = stage.enqueuer.enqueue(many, {});
  await turns();
  await stage.database.take(liftTransactionTimeout).answer([]);
  const sizes: number[] = [];
  while (stage.database.waiting(enqueueJobs) > 0) {
    const call = stage.take();
    sizes.push(call.params.args.length);
    await call.answer(idsOf(call));
  }
  assert.deepEqual(sizes, [10_000, 10_000, 5000]);
  const ids = await stored;
  assert.deepEqual([ids.length, ids[0], ids[24_999]], [25_000, 'id-0', 'id-24999']);
  assert.deepEqual(stage.database.transactions, ['begin', 'commit']);
});

test('parts are cut by the size of their args too, and a part that is refused undoes all of them', async () => {
  const stage = new Stage();
  const megabyte = 'x'.repeat(1_000_000);
  const stored = stage.enqueuer.enqueue(jobs(...Array.from({ length: 20 }, () => megabyte)), {});
  await turns();
  await stage.database.take(liftTransactionTimeout).answer([]);
  const first = stage.take();
  assert.equal(first.params.args.length, 16);
  await first.answer(first.params.args.map(() => ({ id: '1' })));
  const refused = assert.rejects(stored, { code: '22P05' });
  const second = stage.take();
  assert.equal(second.params.args.length, 4);
  await second.fail(serverError('22P05'));
  await refused;
  assert.deepEqual(stage.database.transactions, ['begin', 'rollback']);
});

test('a lone job may ring while the disk writes; jobs that share a statement, or ring for nobody, may not', async () => {
  const stage = new Stage();
  stage.database.isPooled = false;
  await stage.call('a', jobs('1'));
  await stage.call('b', jobs('2'));
  await stage.call('c', jobs('3'));
  const alone = stage.database.take(enqueueAlone);
  assert.equal(alone.params.args, '"1"');
  await alone.answer([{ id: 'id-1' }]);
  const shared = stage.take();
  await shared.answer(idsOf(shared));
  await stage.call('d', jobs('4'), false);
  const silent = stage.take();
  await silent.answer(idsOf(silent));
  assert.deepEqual(stage.answers, ['a: id-1', 'b: id-2', 'c: id-3', 'd: id-4']);
});

test('where each statement is in a transaction a lone job goes with the others, and what is stopped is refused', async () => {
  const stage = new Stage();
  await stage.call('a', jobs('1'));
  await stage.take().fail(serverError('57014'));
  assert.deepEqual([stage.answers, stage.database.names], [['a: 57014'], ['enqueue_jobs']]);
});

test('a lone job whose statement was stopped may be stored: it is neither repeated nor called refused', async () => {
  const stage = new Stage();
  stage.database.isPooled = false;
  const states = ['57014', '53200', '58030', 'XX000', '22P05', '23514'];
  for (const state of states) {
    await stage.call(state, jobs(state));
    await stage.database.take(enqueueAlone).fail(serverError(state));
  }
  const answers = states.map((state) => `${state}: ${/^[5X]/.test(state) ? 'OUTCOME_UNKNOWN' : state}`);
  assert.deepEqual(stage.answers, answers);
  assert.deepEqual(new Set(stage.database.names), new Set(['enqueue_alone']));
});

test('a shared statement is sent outside any async context: no caller is charged with the jobs of others', async () => {
  const storage = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  const database = new ScriptedPool();
  database.always(enqueueJobs, ({ args }) => {
    seen.push(storage.getStore());
    return args.map(() => ({ id: '1' }));
  });
  const enqueuer = new Enqueuer({ clock: new HandClock(), database, maxWaiting: 10, schema: ready });
  const after = await storage.run('request 1', async () => {
    await enqueuer.enqueue(jobs('1'), {});
    return storage.getStore();
  });
  await storage.run('request 2', () => enqueuer.enqueue(jobs('2'), {}));
  assert.deepEqual(seen, [undefined, undefined]);
  assert.equal(after, 'request 1');
});
