import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SettleAndClaimRow } from '../sql/generated/statements.gen.js';
import { answerOf, claimOf } from '../testing/scripted-claims.js';
import { readAnswer } from './claim.js';

test('an answer without jobs is a report alone', () => {
  const report = { clock: 5, startedAt: 3, missed: ['7:1'], mayClaim: false };
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
    claimedAt: row.clock,
    held: false,
  };
  assert.deepEqual(readAnswer([{ ...row, ...columns, args: ['{}', '{"a":1}'] }]).claims, [
    { tid: '(0,1)', id: '8', claimNo: 1, attempt: 1, runAt: 5, args: '{}', size: 2, ...shared },
    { tid: '(0,2)', id: '9', claimNo: 4, attempt: 3, runAt: 6, args: '{"a":1}', size: 7, ...shared },
  ]);
});

test('claims are in the order of their lanes, whatever their rows: priority, then time, then id', () => {
  const [row] = answerOf({}, [claimOf()]);
  assert.ok(row !== undefined);
  const rowOf = (priority: number, ids: string[], runAts: number[]): SettleAndClaimRow => {
    const each = <T>(value: T): T[] => ids.map(() => value);
    const rest = { tids: each('(0,1)'), claimNos: each(1), attempts: each(1), args: each('{}') };
    return { ...row, ...rest, priority, ids, runAts };
  };
  const rows = [rowOf(5, ['10', '11'], [7, 3]), rowOf(5, ['9', '8'], [7, 4]), rowOf(0, ['12'], [9])];
  assert.deepEqual(
    readAnswer(rows).claims.map(({ id }) => id),
    ['12', '11', '8', '9', '10'],
  );
});
