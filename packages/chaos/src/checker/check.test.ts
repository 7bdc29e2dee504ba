import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.js';
import { tidyRound } from '../testing/tidy-round.js';
import { check, invariants, measureRecovery, schemaText } from './check.js';

let testDatabase: TestDatabase;

before(async () => {
  testDatabase = await createTestDatabase('check');
  await testDatabase.database.rows(schemaText());
});

beforeEach(() => testDatabase.database.rows(tidyRound));

after(() => testDatabase.drop());

test('a round in order violates nothing', async () => {
  assert.deepEqual(await check(testDatabase.database), []);
});

test('recovery is measured from the fault to the next handler', async () => {
  assert.deepEqual(await measureRecovery(testDatabase.database), {
    jobs: 1,
    maxGivenBackMs: 3500,
    maxStartedAgainMs: 4000,
    medianStartedAgainMs: 4000,
  });
});

/** The second claim of job 4 is lost as well, before its handler begins; the third one ends it. */
const lostAgain = (struckAt: string): string => `
  insert into rowlock.worker (id, lease_until, dead_at, lease_ms, pid, host, version, queues, kinds) overriding system value
    values (3, '2026-01-01 00:00:17Z', '2026-01-01 00:00:18Z', 3000, 300, 'here', '0', '{chaos}', '{chaos_work}');
  insert into chaos.hit values (1, 'SIGKILL 300', 300, '${struckAt}', 3);
  update rowlock.finished set claim_no = 3, attempt = 3, crashes = 2, errors = errors ||
    '{"claimNo": 2, "attempt": 2, "code": "WORKER_LOST", "worker": "3", "at": "2026-01-01T00:00:18.5Z"}' where id = 4;
  update chaos.started set claim_no = 3, attempt = 3, at = '2026-01-01 00:00:19Z' where id = 4 and claim_no = 2;
  update chaos.ended set claim_no = 3 where id = 4;
  update chaos.told set claim_no = 3 where id = 4`;

test('a job whose next worker is lost too, before it begins, is not late for that', async () => {
  await testDatabase.database.rows(lostAgain('2026-01-01 00:00:15Z'));
  assert.deepEqual(await check(testDatabase.database, ['late']), []);
  assert.equal((await measureRecovery(testDatabase.database)).maxStartedAgainMs, 5000);
});

const live = `insert into rowlock.job (id, run_at, created_at, claim_no, attempt, queue, kind, args)
  overriding system value values (99, now(), now(), 1, 1, 'chaos', 'chaos_work', '{"token": 1}')`;

/** What each invariant must see: a violation planted into a round in order. */
const planted: readonly (readonly [invariant: string, what: string, plant: string])[] = [
  ['lost', 'a committed job that is nowhere', 'delete from rowlock.finished where id = 1'],
  ['lost', 'a commit of unknown outcome whose job is nowhere', 'delete from rowlock.finished where id = 2'],
  [
    'lost',
    'a direct enqueue, acknowledged, that is nowhere',
    `update chaos.enqueued set fate = 'acknowledged' where token = 6`,
  ],
  ['doubled', 'a token with two jobs', live],
  [
    'doubled',
    'a job in two places',
    `${live}; update rowlock.job set id = 1, args = '{"token": 7}' where id = 99`,
  ],
  [
    'ghost',
    'a job of a transaction that was rolled back',
    `${live}; update rowlock.job set args = '{"token": 3}'`,
  ],
  ['ghost', 'a job nobody enqueued', `${live}; update rowlock.job set args = '{"token": 1000}'`],
  [
    'ghost',
    'a refused enqueue that is there',
    `update chaos.enqueued set fate = 'refused', route = 'direct' where token = 6; ${live}; update rowlock.job set args = '{"token": 6}'`,
  ],
  ['ghost', 'a rollback that committed', 'insert into chaos.token values (3)'],
  [
    'started_twice',
    'a claim given to two processes',
    'insert into chaos.started select token, id, claim_no, attempt, 300, mono, at from chaos.started where id = 1',
  ],
  [
    'settled_twice',
    'two processes that were told they settled it',
    `insert into chaos.told select id, claim_no, 300, event, outcome, mono, at from chaos.told where id = 1`,
  ],
  [
    'settled_twice',
    'two errors of one claim',
    `update rowlock.finished set errors = errors || errors where id = 2`,
  ],
  [
    'settled_twice',
    'a success of a claim that had failed',
    `update rowlock.finished set errors = jsonb_set(errors, '{0,claimNo}', '2') where id = 2`,
  ],
  [
    'settled_twice',
    'a claim settled by a process that never had it',
    `update chaos.told set pid = 300 where id = 1`,
  ],
  [
    'last_claim',
    'a zombie that ended a job claimed again',
    'update rowlock.finished set claim_no = 1 where id = 4',
  ],
  ['last_claim', 'a claim number that was lowered', 'update rowlock.discarded set claim_no = 1'],
  ['last_claim', 'a success before its handler had ended', 'delete from chaos.ended where id = 1'],
  ['false_news', 'success told of what is not there', 'delete from rowlock.finished where id = 1'],
  ['false_news', 'a success told as lost', `update chaos.told set event = 'leaseLost' where id = 1`],
  [
    'false_news',
    'a failure told as lost',
    `update chaos.told set event = 'leaseLost' where id = 2 and claim_no = 1`,
  ],
  ['false_news', 'a success told as unknown', `update chaos.told set event = 'outcomeUnknown' where id = 1`],
  [
    'attempts',
    'more attempts than allowed',
    'update chaos.started set attempt = 4 where id = 5 and claim_no = 3',
  ],
  ['attempts', 'an attempt nobody accounts for', 'update rowlock.finished set attempt = 2 where id = 1'],
  ['attempts', 'a failure that was not counted', 'update rowlock.finished set attempt = 1 where id = 2'],
  [
    'wrong_end',
    'a job discarded that would have succeeded',
    'update chaos.enqueued set failures = 0 where token = 5',
  ],
  ['wrong_end', 'a job discarded before its attempts were spent', 'update rowlock.discarded set attempt = 2'],
  ['wrong_end', 'a doomed job that completed', 'update chaos.enqueued set failures = 100 where token = 1'],
  ['unfinished', 'a job that never ended', live],
  [
    'late',
    'a job that ran again too late',
    `update chaos.started set at = at + interval '4 s' where id = 4 and claim_no = 2`,
  ],
  ['late', 'a job that was claimed again too late, and lost again', lostAgain('2026-01-01 00:00:18Z')],
  ['late', 'a job taken from a worker without a fault', 'delete from chaos.hit'],
  ['burnt', 'a crash counted where none may be', 'update chaos.setting set lossless = true'],
  [
    'burnt',
    'an attempt used up without a failure',
    `update chaos.setting set lossless = true; delete from rowlock.finished where id = 4; delete from chaos.started where id = 4;
    update rowlock.finished set attempt = 2 where id = 1`,
  ],
  [
    'burnt',
    'a lost lease',
    `update chaos.setting set lossless = true; delete from rowlock.finished where id = 4; delete from chaos.started where id = 4;
    insert into chaos.told values (1, 1, 300, 'leaseLost', null, 2, now())`,
  ],
  [
    'burnt',
    'a job run twice at once',
    `update chaos.setting set lossless = true; delete from rowlock.finished where id = 4;
    update chaos.ended set mono = 6.5 where id = 2 and claim_no = 1`,
  ],
];

for (const [invariant, what, plant] of planted) {
  test(`${invariant} sees ${what}`, async () => {
    await testDatabase.database.rows(plant);
    const [violation] = await check(testDatabase.database, [invariant]);
    assert.equal(violation?.invariant, invariant);
    assert.equal(violation.count, violation.details.length);
  });
}

test('every invariant has a violation planted against it', () => {
  assert.deepEqual(invariants(), [...new Set(planted.map(([invariant]) => invariant))].sort());
});
