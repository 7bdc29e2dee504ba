import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claimOf } from '../testing/scripted-claims.js';
import type { Done } from './done.js';
import { settlesOf, takeBatch } from './done.js';

const doneWith = (output: string | null): Done => ({ claim: claimOf(), output });

test('a batch is as many as are asked for, and fewer once their outputs are 16 million characters', () => {
  const short = Array.from({ length: 5 }, () => doneWith('1'));
  assert.equal(takeBatch(short, 3).length, 3);
  assert.equal(takeBatch(short, 3).length, 2);
  const long = 'x'.repeat(6 * 1_048_576);
  const mixed = [long, null, long, long, '1', long].map(doneWith);
  assert.deepEqual([takeBatch(mixed, 10).length, takeBatch(mixed, 10).length, mixed.length], [4, 2, 0]);
});

test('args count as outputs do, for both are copied to the history', () => {
  const sized = (megabytes: number): Done => ({
    ...doneWith(null),
    claim: claimOf({ size: megabytes * 1_048_576 }),
  });
  const done = [6, 6, 6, 1, 40, 1].map(sized);
  assert.deepEqual(
    [takeBatch(done, 10).length, takeBatch(done, 10).length, takeBatch(done, 10).length],
    [3, 2, 1],
  );
});

test('outputs go by fence, as they are: they are JSON already', () => {
  const [one, two] = [claimOf({ id: '1' }), claimOf({ id: '2', claimNo: 3 })];
  const settles = settlesOf([
    { claim: one, output: null },
    { claim: two, output: '[1]' },
  ]);
  assert.deepEqual(settles, {
    tids: [one.tid, two.tid],
    ids: ['1', '2'],
    claimNos: [1, 3],
    outputs: '{"2:3":[1]}',
  });
  assert.equal(settlesOf([{ claim: one, output: null }]).outputs, null);
});
