import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.js';
import { until } from '../wait.js';
import type { Fault } from './fault.js';
import { Proxy } from './proxy.js';

let testDatabase: TestDatabase;
let proxy: Proxy;

before(async () => {
  testDatabase = await createTestDatabase('proxy');
  await testDatabase.database.rows('create table mark (n integer)');
  proxy = await Proxy.open(testDatabase.url);
});

beforeEach(() => testDatabase.database.rows('truncate mark'));

after(async () => {
  await proxy.close();
  await testDatabase.drop();
});

const marks = async (): Promise<number> =>
  (await testDatabase.database.rows<{ n: number }>('select n from mark')).length;

/** Sends two statements, the second of which is struck. @returns what became of the second */
async function strikeSecond(fault: Fault): Promise<unknown> {
  const client = new pg.Client({ connectionString: proxy.url });
  client.on('error', () => undefined);
  await client.connect();
  const struck = proxy.arm(2, fault, new AbortController().signal);
  const insert = 'insert into mark values ($1)';
  await client.query(insert, [1]);
  const answer = await client.query(insert, [2]).catch((error: unknown) => error);
  assert.equal(await struck, true);
  await client.end().catch(() => undefined);
  return answer;
}

test('cut before: the server never saw the statement', async () => {
  assert.ok((await strikeSecond({ how: 'cut before' })) instanceof Error);
  assert.equal(await marks(), 1);
});

test('cut after: the server has done it and the client does not know', async () => {
  assert.ok((await strikeSecond({ how: 'cut after' })) instanceof Error);
  assert.equal(await marks(), 2);
});

test('cut midway: the server does it for a client that is gone', async () => {
  assert.ok((await strikeSecond({ how: 'cut midway' })) instanceof Error);
  assert.ok(await until(async () => (await marks()) === 2, 10_000));
});

test('fail: the server raises the error in place of the statement', async () => {
  const error = await strikeSecond({ how: 'fail', sqlState: '40001' });
  assert.equal((error as pg.DatabaseError).code, '40001');
  assert.equal(await marks(), 1);
});

test('hold: the answer comes late', async () => {
  const began = performance.now();
  assert.ok(!((await strikeSecond({ how: 'hold', ms: 300 })) instanceof Error));
  assert.ok(performance.now() - began >= 290);
  assert.equal(await marks(), 2);
});
