import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerOf, claimOf } from '../testing/scripted-claims.js';
import { readAnswer } from './claim.js';

test('an answer without jobs is a report alone', () => {
  const report = { clock: 5, startedAt: 3, missed: ['7:1'], alive: false };
  const { mayClaim, clock, startedAt, missed, claims } = readAnswer(answerOf(report));
  assert.deepEqual([mayClaim, clock, startedAt, missed, claims], [false, 5, 3, ['7:1'], []]);
  assert.throws(() => readAnswer([]), TypeError);
});

test('the jobs of a row share its queue, kind, priority, policy and whether they were parked', () => {
  const [row] = answerOf({}, [
    claimOf({ queue: 'mail', kind: 'send', policy: { maxAttempts: 2 }, parked: true }),
  ]);
  assert.ok(row !== undefined);
  const columns = {
    tids: ['(0,1)', '(0,2)'],
    ids: ['8', '9'],
    claimNos: [1, 4],
    attempts: [1, 3],
    runAts: [5, 6],
  };
  const shared = {
    queue: 'mail',
    kind: 'send',
    priority: 5,
    policy: { maxAttempts: 2 },
    parked: true,
    held: false,
  };
  assert.deepEqual(readAnswer([{ ...row, ...columns, args: ['{}', '{"a":1}'] }]).claims, [
    { tid: '(0,1)', id: '8', claimNo: 1, attempt: 1, runAt: 5, args: '{}', ...shared },
    { tid: '(0,2)', id: '9', claimNo: 4, attempt: 3, runAt: 6, args: '{"a":1}', ...shared },
  ]);
});

test('claims are in the order of their lanes: priority, then time, then id', () => {
  const fields = [
    { id: '10', priority: 5, runAt: 7 },
    { id: '9', priority: 5, runAt: 7 },
    { id: '11', priority: 5, runAt: 3 },
    { id: '12', priority: 0, runAt: 9 },
  ];
  const { claims } = readAnswer(answerOf({}, fields.map(claimOf)));
  assert.deepEqual(
    claims.map(({ id }) => id),
    ['12', '11', '9', '10'],
  );
});
