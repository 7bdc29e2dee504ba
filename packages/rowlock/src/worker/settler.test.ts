import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionError, OutcomeUnknownError } from '../job/errors.js';
import type { Fact } from '../job/fact.js';
import { released } from '../job/fact.js';
import type { LookUpClaimsRow, SettleFactsParams, SettleFactsRow } from '../sql/generated/statements.gen.js';
import { lookUpClaims, settleFacts } from '../sql/generated/statements.gen.js';
import { claimOf } from '../testing/scripted-claims.js';
import { HandClock, turns } from '../testing/hand-clock.js';
import { ScriptedDatabase, serverError, type Call } from '../testing/scripted-database.js';
import { Settler } from './settler.js';

const failed: Fact = { outcome: 'failed', error: { name: 'Error', message: 'no', stack: '' } };
const completed: Fact = { outcome: 'completed' };

class Stage {
  readonly database = new ScriptedDatabase();
  readonly clock = new HandClock();
  readonly endings: string[] = [];
  readonly errors: string[] = [];
  readonly settler = new Settler({
    database: this.database,
    clock: this.clock,
    onClaimEnded: ({ id }, _fact, ending) =>
      this.endings.push(`${id} ${ending.how === 'settled' ? ending.state : ending.how}`),
    onError: (error) => this.errors.push((error as Error).message),
  });

  async add(fact: Fact, ids: readonly string[], options: { doubt?: boolean } = {}): Promise<void> {
    for (const id of ids) this.settler.add(claimOf({ id }), fact, options);
    await turns();
  }

  take(): Call<SettleFactsParams, SettleFactsRow> {
    return this.database.take(settleFacts);
  }
}

function answersFor(ids: readonly string[], answer: 'settled' | 'refused' | 'locked'): SettleFactsRow[] {
  const state = answer === 'settled' ? 'retryable' : null;
  return ids.map((id) => ({ id, claimNo: 1, answer, state, runAt: null }));
}

test('facts of one turn share a statement, two hundred at most', async () => {
  const stage = new Stage();
  const ids = Array.from({ length: 250 }, (_, n) => String(n + 1));
  await stage.add(failed, ids);
  const { params, answer } = stage.take();
  assert.deepEqual(params.ids, ids.slice(0, 200));
  await answer(answersFor(params.ids, 'settled'));
  const rest = stage.take();
  assert.deepEqual(rest.params.ids, ids.slice(200));
  await rest.answer(answersFor(rest.params.ids, 'settled'));
  assert.equal(stage.endings.length, 250);
  assert.equal(stage.settler.size, 0);
});

test('what has much to store shares a statement with few', async () => {
  const stage = new Stage();
  for (const id of ['1', '2', '3', '4']) stage.settler.add(claimOf({ id, size: 9 * 1_048_576 }), failed);
  await turns();
  const { params, answer } = stage.take();
  assert.deepEqual(params.ids, ['1', '2']);
  await answer(answersFor(params.ids, 'settled'));
  assert.deepEqual(stage.take().params.ids, ['3', '4']);
});

test('a row that somebody has locked is tried again and does not hold up the others', async () => {
  const stage = new Stage();
  await stage.add(failed, ['1', '2', '3']);
  await stage.take().answer([...answersFor(['1', '3'], 'settled'), ...answersFor(['2'], 'locked')]);
  assert.deepEqual(stage.endings, ['1 retryable', '3 retryable']);
  const again = stage.take();
  assert.deepEqual(again.params.ids, ['2']);
  await again.answer(answersFor(['2'], 'locked'));
  assert.equal(stage.database.waiting(settleFacts), 0);
  await stage.clock.advance(20);
  await stage.take().answer(answersFor(['2'], 'settled'));
  assert.deepEqual(stage.endings, ['1 retryable', '3 retryable', '2 retryable']);
});

test('locked rows, however many, let the others go first', async () => {
  const stage = new Stage();
  const locked = Array.from({ length: 200 }, (_, n) => String(n + 1));
  await stage.add(failed, [...locked, '999']);
  await stage.take().answer(answersFor(locked, 'locked'));
  await stage.clock.advance(20);
  assert.equal(stage.take().params.ids[0], '999');
});

test('facts that arrive faster than they are settled do not slow the settling down', async () => {
  const stage = new Stage();
  await stage.add(failed, ['1']);
  for (let n = 1; n < 30; n += 1) {
    const { params, answer } = stage.take();
    stage.settler.add(claimOf(), failed);
    stage.settler.add(claimOf(), failed);
    await answer(answersFor(params.ids, 'settled'));
  }
  assert.equal(stage.clock.pending, 0);
});

test('a settle that the fence refuses is a lost lease', async () => {
  const stage = new Stage();
  await stage.add(failed, ['1']);
  await stage.take().answer(answersFor(['1'], 'refused'));
  assert.deepEqual(stage.endings, ['1 refused']);
});

test('without a connection the same statement is sent again, for ever', async () => {
  const stage = new Stage();
  await stage.add(failed, ['1', '2']);
  for (let failures = 0; failures < 20; failures += 1) {
    await stage.take().fail(new ConnectionError('away'));
    await stage.clock.advance(2000);
  }
  const { params, answer } = stage.take();
  assert.deepEqual(params.ids, ['1', '2']);
  await answer(answersFor(['1', '2'], 'settled'));
  assert.deepEqual(stage.endings, ['1 retryable', '2 retryable']);
});

test('a settle that was cut off is looked up before anything is written again', async () => {
  const stage = new Stage();
  await stage.add(failed, ['1', '2', '3', '4', '5']);
  await stage.take().fail(new OutcomeUnknownError('cut off'));
  await stage.clock.advance(20);
  assert.equal(stage.database.waiting(settleFacts), 0);
  const lookup = stage.database.take(lookUpClaims);
  assert.deepEqual(lookup.params.ids, ['1', '2', '3', '4', '5']);
  assert.deepEqual(lookup.params.claimedAts, Array(5).fill(claimOf().claimedAt));
  const found = ['ours', 'passed', 'held', 'lost', 'gone'];
  await lookup.answer(found.map((word, n) => ({ ...foundAs(word), id: String(n + 1) })));
  assert.deepEqual(stage.endings, ['1 retryable', '2 refused', '4 refused', '5 unknown']);
  const again = stage.take();
  assert.deepEqual(again.params.ids, ['3']);
  await again.answer(answersFor(['3'], 'settled'));
  assert.deepEqual(stage.endings.at(-1), '3 retryable');
});

test('a cut-off settle may take effect after it was looked up: a refusal is looked up once more', async () => {
  const stage = new Stage();
  await stage.add(failed, ['1'], { doubt: true });
  await stage.database.take(lookUpClaims).answer([foundAs('held')]);
  await stage.take().answer(answersFor(['1'], 'refused'));
  await stage.clock.advance(20);
  await stage.database.take(lookUpClaims).answer([foundAs('ours')]);
  assert.deepEqual(stage.endings, ['1 retryable']);
});

function foundAs(found: string, state: string | null = null): LookUpClaimsRow {
  return { id: '1', claimNo: 1, found, state };
}

test('what is found out about a cut-off settle is told in the words of the states', async () => {
  const facts: [Fact, LookUpClaimsRow, string][] = [
    [completed, foundAs('ours', 'completed'), 'completed'],
    [{ outcome: 'cancel', reason: 'x' }, foundAs('ours', 'cancelled'), 'cancelled'],
    [{ outcome: 'discard', reason: 'x' }, foundAs('ours', 'discarded'), 'discarded'],
    [failed, foundAs('ours', 'discarded'), 'discarded'],
    [failed, foundAs('ours'), 'retryable'],
    [{ outcome: 'retry', delayMs: 1 }, foundAs('returned'), 'retryable'],
    [{ outcome: 'snooze', delayMs: 1 }, foundAs('returned'), 'scheduled'],
    [released, foundAs('returned'), 'available'],
    [{ outcome: 'park' }, foundAs('returned'), 'available'],
    [released, foundAs('passed'), 'unknown'],
    // Success never gives a row back, and an error leaves its trace: somebody else did.
    [completed, foundAs('returned'), 'refused'],
    [failed, foundAs('returned'), 'refused'],
    [completed, foundAs('gone'), 'unknown'],
  ];
  for (const [fact, found, ending] of facts) {
    const stage = new Stage();
    await stage.add(fact, ['1'], { doubt: true });
    await stage.database.take(lookUpClaims).answer([found]);
    assert.deepEqual(stage.endings, [`1 ${ending}`], `${fact.outcome} ${found.found}`);
  }
});

test('a look-up that fails is made again; nothing is settled meanwhile', async () => {
  const stage = new Stage();
  await stage.add(completed, ['1'], { doubt: true });
  await stage.database.take(lookUpClaims).fail(new OutcomeUnknownError('cut off'));
  await stage.clock.advance(20);
  await stage.database.take(lookUpClaims).answer([foundAs('ours', 'completed')]);
  assert.deepEqual(stage.endings, ['1 completed']);
  assert.equal(stage.database.names.includes('settle_facts'), false);
});

test('a look-up that fails again and again is told, and keeps nothing else from being settled', async () => {
  const stage = new Stage();
  await stage.add(completed, ['1'], { doubt: true });
  for (let tries = 1; tries <= 3; tries += 1) {
    assert.equal(stage.settler.lookUpsFail, false);
    await stage.add(failed, [`${String(tries)}0`]);
    await stage.database.take(lookUpClaims).fail(serverError('55P03'));
    await stage.take().answer(answersFor([`${String(tries)}0`], 'settled'));
  }
  assert.equal(stage.settler.lookUpsFail, true);
  assert.deepEqual(stage.endings, ['10 retryable', '20 retryable', '30 retryable']);
  await stage.database.take(lookUpClaims).answer([foundAs('ours', 'completed')]);
  assert.equal(stage.settler.lookUpsFail, false);
});

test('what the server refuses to store is found by settling alone, and then settled as a failure', async () => {
  const stage = new Stage();
  await stage.add(failed, ['1']);
  stage.settler.add(claimOf({ id: '2' }), { outcome: 'completed', output: '"bad"' });
  stage.settler.add(claimOf({ id: '3' }), completed);
  await stage.take().answer(answersFor(['1'], 'settled'));
  await stage.take().fail(serverError('22P05'));
  const sent: string[] = [];
  while (stage.settler.size > 0) {
    await stage.clock.advance(2000);
    const { params, answer, fail } = stage.take();
    const outcomes = params.facts.map((fact) => (JSON.parse(fact) as Fact).outcome);
    sent.push(`${params.ids.join()} ${outcomes.join()}`);
    if (sent.at(-1) === '2 completed') await fail(serverError('22P05'));
    else await answer(answersFor(params.ids, 'settled'));
  }
  assert.deepEqual(sent, ['2 completed', '3 completed', '2 failed']);
});

test('a job that the server never lets settle does not stop another', async () => {
  const stage = new Stage();
  await stage.add(failed, ['1', '2', '3']);
  const settled: string[] = [];
  for (let tries = 0; tries < 12; tries += 1) {
    await stage.clock.advance(2000);
    const { params, answer, fail } = stage.take();
    if (params.ids.includes('2')) await fail(serverError('23502'));
    else {
      settled.push(...params.ids);
      await answer(answersFor(params.ids, 'settled'));
    }
  }
  assert.deepEqual(settled.sort(), ['1', '3']);
  await stage.add(failed, ['4']);
  await stage.clock.advance(4000);
  for (let tries = 0; tries < 3 && stage.settler.size > 1; tries += 1) {
    const { params, answer, fail } = stage.take();
    if (params.ids.includes('2')) await fail(serverError('23502'));
    else await answer(answersFor(params.ids, 'settled'));
    await stage.clock.advance(2000);
  }
  assert.equal(stage.endings.at(-1), '4 retryable');
});

test('a deadlock or a serialization failure is no fault of the facts: they stay together', async () => {
  const stage = new Stage();
  await stage.add(failed, ['1', '2']);
  await stage.take().fail(serverError('40P01'));
  await stage.clock.advance(20);
  assert.deepEqual(stage.take().params.ids, ['1', '2']);
});

test('after stop nothing is tried any more, and nothing is left waiting', async () => {
  const stage = new Stage();
  await stage.add(failed, ['1']);
  await stage.take().fail(new ConnectionError('away'));
  void stage.settler.stop();
  await stage.add(failed, ['2']);
  await stage.clock.advance(10_000);
  assert.equal(stage.database.waiting(settleFacts), 0);
  assert.equal(stage.clock.pending, 0);
});
