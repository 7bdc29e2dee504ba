import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parkUnserved } from '../sql/generated/statements.gen.js';
import { turns } from '../testing/hand-clock.js';
import { ScriptedDatabase, serverError } from '../testing/scripted-database.js';
import type { Starts } from './lanes.js';
import { Parking } from './parking.js';

function stage(): { database: ScriptedDatabase; parking: Parking; errors: unknown[] } {
  const database = new ScriptedDatabase();
  const errors: unknown[] = [];
  const floorsOf = (): Starts => ({ runAts: [7], ids: ['1'] });
  const served = (): string[] => ['common'];
  const parking = new Parking({ database, floorsOf, served, onError: (error) => errors.push(error) });
  return { database, errors, parking };
}

const parkedRows = (count: number): { id: string }[] =>
  Array.from({ length: count }, (_, n) => ({ id: String(n) }));

test('what is not served is parked window by window while it fills a good part of them', async () => {
  const { database, parking } = stage();
  parking.park('default');
  const { params, answer } = database.take(parkUnserved);
  assert.deepEqual(params, {
    queue: 'default',
    served: ['common'],
    window: 5000,
    floorRunAts: [7],
    floorIds: ['1'],
  });
  await answer(parkedRows(5000));
  await database.take(parkUnserved).answer(parkedRows(1250));
  await database.take(parkUnserved).answer(parkedRows(1249));
  assert.equal(database.waiting(parkUnserved), 0);
});

test('a queue is parked by one statement at a time, other queues beside it', async () => {
  const { database, parking } = stage();
  for (let n = 0; n < 100; n += 1) parking.park('default');
  parking.park('mail');
  assert.equal(database.waiting(parkUnserved), 2);
  await database.take(parkUnserved).answer([]);
  parking.park('default');
  assert.equal(database.waiting(parkUnserved), 2);
});

test('an error is reported, and the next claim of such a kind tries again', async () => {
  const { database, parking, errors } = stage();
  parking.park('default');
  await database.take(parkUnserved).fail(serverError('40P01'));
  assert.equal(errors.length, 1);
  parking.park('default');
  assert.equal(database.waiting(parkUnserved), 1);
});

test('stop waits for what is under way and nothing follows', async () => {
  const { database, parking } = stage();
  parking.park('default');
  const { answer } = database.take(parkUnserved);
  let stopped = false;
  void parking.stop().then(() => (stopped = true));
  await turns();
  assert.equal(stopped, false);
  await answer(parkedRows(5000));
  parking.park('default');
  assert.deepEqual([stopped, database.waiting(parkUnserved)], [true, 0]);
});
