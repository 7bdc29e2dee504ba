import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parkKind } from '../sql/generated/statements.gen.js';
import { turns } from '../testing/hand-clock.js';
import { ScriptedDatabase, serverError } from '../testing/scripted-database.js';
import type { Starts } from './lanes.js';
import { Parking } from './parking.js';

function stage(): { database: ScriptedDatabase; parking: Parking; errors: unknown[] } {
  const database = new ScriptedDatabase();
  const errors: unknown[] = [];
  const floorsOf = (): Starts => ({ runAts: [7], ids: ['1'] });
  const parking = new Parking({ database, floorsOf, onError: (error) => errors.push(error) });
  return { database, errors, parking };
}

const parkedRows = (count: number): { id: string }[] =>
  Array.from({ length: count }, (_, n) => ({ id: String(n) }));

test('a kind is parked window by window while it fills a good part of them', async () => {
  const { database, parking } = stage();
  parking.park('default', 'rare');
  const { params, answer } = database.take(parkKind);
  assert.deepEqual(params, {
    queue: 'default',
    kind: 'rare',
    window: 5000,
    floorRunAts: [7],
    floorIds: ['1'],
  });
  await answer(parkedRows(5000));
  await database.take(parkKind).answer(parkedRows(1250));
  await database.take(parkKind).answer(parkedRows(1249));
  assert.equal(database.waiting(parkKind), 0);
});

test('a kind of a queue is parked by one statement at a time, other kinds beside it', async () => {
  const { database, parking } = stage();
  for (let n = 0; n < 100; n += 1) parking.park('default', 'rare');
  parking.park('default', 'other');
  parking.park('mail', 'rare');
  assert.equal(database.waiting(parkKind), 3);
  await database.take(parkKind).answer([]);
  parking.park('default', 'rare');
  assert.equal(database.waiting(parkKind), 3);
});

test('an error is reported, and the next claim of the kind tries again', async () => {
  const { database, parking, errors } = stage();
  parking.park('default', 'rare');
  await database.take(parkKind).fail(serverError('40P01'));
  assert.equal(errors.length, 1);
  parking.park('default', 'rare');
  assert.equal(database.waiting(parkKind), 1);
});

test('stop waits for what is under way and nothing follows', async () => {
  const { database, parking } = stage();
  parking.park('default', 'rare');
  const { answer } = database.take(parkKind);
  let stopped = false;
  void parking.stop().then(() => (stopped = true));
  await turns();
  assert.equal(stopped, false);
  await answer(parkedRows(5000));
  parking.park('default', 'rare');
  assert.deepEqual([stopped, database.waiting(parkKind)], [true, 0]);
});
