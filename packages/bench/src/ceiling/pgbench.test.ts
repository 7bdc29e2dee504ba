import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseLog, parseResult } from './pgbench.js';

const output = `pgbench (15.18, server 18.4)
transaction type: drain.sql
number of clients: 2
number of transactions per client: 201
number of transactions actually processed: 402/402
number of failed transactions: 0 (0.000%)
latency average = 6.644 ms
initial connection time = 5.012 ms
tps = 201.000000 (without initial connection time)
`;

test('seconds count from when all clients are connected', () => {
  assert.deepEqual(parseResult(output), { transactions: 402, seconds: 2 });
});

test('a failed transaction voids the run', () => {
  assert.throws(() => parseResult(output.replace('transactions: 0', 'transactions: 3')), /did not succeed/);
  assert.throws(() => parseResult(''), /did not succeed/);
});

test('the log gives the time from when a transaction was begun', () => {
  assert.deepEqual(parseLog('0 1 1500 0 1700000000 123456 500\n0 2 700 0 1700000000 223456\n'), [1, 0.7]);
});
