import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settleAndClaim } from '../sql/generated/statements.gen.js';
import {
  enqueue,
  laneStarts,
  nothingClaimed,
  nothingSettled,
  registerTestWorker,
} from '../testing/claims.js';
import { withTestDatabase } from '../testing/database.js';
import { readAnswer } from './claim.js';

test('jobs of one kind share a row; long args, another kind and a policy have one to themselves', () =>
  withTestDatabase(async (database) => {
    const long = JSON.stringify({ text: 'x'.repeat(70_000) });
    const ids = await enqueue(
      database,
      ...[{ args: '{"n": 1}' }, { args: long }, { args: '{"n": 2}' }, { args: long }],
      ...[{ kind: 'NULL' }, { kind: 'a,"b"\n{}' }, { policy: { maxAttempts: 3 } }],
    );
    const workerId = await registerTestWorker(database);
    const asked = { ...nothingClaimed, ...laneStarts, queues: ['default'], slots: [100], workerId };
    const rows = await database.run(settleAndClaim, { ...nothingSettled, ...asked });
    assert.deepEqual(rows.map((row) => row.ids.length).sort(), [1, 1, 1, 1, 1, 2]);
    const { claims } = readAnswer(rows);
    assert.deepEqual(
      claims.map(({ id }) => id),
      ids,
    );
    const [, second, , , fifth, sixth, last] = claims;
    assert.deepEqual([second?.args.length, fifth?.kind, sixth?.kind], [long.length + 1, 'NULL', 'a,"b"\n{}']);
    assert.deepEqual([last?.policy, second?.policy], [{ maxAttempts: 3 }, null]);
  }));
