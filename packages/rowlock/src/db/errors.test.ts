import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCode } from '../job/errors.js';
import { classify, connectFailed, isDenied, isTransient, mayPass } from './errors.js';

function serverError(code: string, severity = 'ERROR'): Error {
  return Object.assign(new Error(`server says ${code}`), { code, severity });
}

test('an answer of the server is passed on, and its connection stays in use', () => {
  for (const state of ['23505', '22P02', '40001', '57014', '42501', 'XX000']) {
    const error = serverError(state);
    assert.deepEqual(classify(error, 'unknown'), { error, broken: false });
  }
});

test('a session that ends in place of an answer leaves the outcome unknown, whatever language the server speaks', () => {
  const ends = [
    serverError('57P01', 'FATAL'),
    serverError('57P01', 'ВАЖНО'),
    serverError('08P01'),
    serverError('25P04'),
    serverError('XX000', 'PANIC'),
  ];
  for (const cause of [...ends, new Error('Connection terminated unexpectedly')]) {
    const { error, broken } = classify(cause, 'unknown');
    assert.ok(hasCode(error, 'OUTCOME_UNKNOWN'), cause.message);
    assert.ok(error instanceof Error && error.cause === cause);
    assert.equal(broken, true);
  }
});

test('a loss before the commit was sent is a connection error', () => {
  const { error } = classify(new Error('Connection terminated unexpectedly'), 'nothing-happened');
  assert.ok(hasCode(error, 'CONNECTION'));
});

test('a request that the driver refused to send is a connection error', () => {
  const { error } = classify(
    new Error('Client has encountered a connection error and is not queryable'),
    'unknown',
  );
  assert.ok(hasCode(error, 'CONNECTION'));
});

test('what a trigger raises is passed on, whatever it calls itself', () => {
  for (const state of ['0A000', '26000', '25006', '28000', '08006']) {
    const error = Object.assign(serverError(state), { routine: 'exec_stmt_raise' });
    assert.deepEqual(classify(error, 'unknown'), { error, broken: false });
  }
});

test('a right that a trigger denies is none that a grant would give', () => {
  assert.equal(isDenied(serverError('42501')), true);
  assert.equal(isDenied(Object.assign(serverError('42501'), { routine: 'exec_stmt_raise' })), false);
});

test('a session that ended for being idle has not seen the statement', () => {
  const { error, broken } = classify(serverError('57P05', 'FATAL'), 'unknown');
  assert.ok(hasCode(error, 'CONNECTION'));
  assert.equal(broken, true);
});

test('a read-only server costs its connection', () => {
  const { error, broken } = classify(serverError('25006'), 'unknown');
  assert.ok(hasCode(error, 'CONNECTION'));
  assert.equal(broken, true);
});

test('only what another transaction caused is transient', () => {
  assert.deepEqual(
    ['40001', '40P01', '55P03', '23505', '57014'].map((state) => isTransient(serverError(state))),
    [true, true, true, false, false],
  );
  assert.equal(isTransient(Object.assign(new Error('not from the server'), { code: '40001' })), false);
  assert.equal(isTransient(undefined), false);
  assert.equal(mayPass(connectFailed(new Error('refused'))), true);
});

test('every address that refused is named', () => {
  const cause = new AggregateError([
    new Error('connect ECONNREFUSED ::1:1'),
    new Error('connect ECONNREFUSED 127.0.0.1:1'),
  ]);
  assert.match(connectFailed(cause).message, /::1:1; connect ECONNREFUSED 127/);
});

test('where nothing says which database, the error says where it was looked for and what decides', () => {
  const target = { host: 'localhost', port: 5432, database: undefined, user: 'ann' };
  assert.equal(
    connectFailed(new Error('refused'), { ...target, named: false }).message,
    'Could not connect to the database at localhost:5432 as "ann": refused. No connectionString, config or pool was ' +
      'given, so PGHOST and PGPORT decide, or their defaults. ' +
      'Is the variable set that should name it?',
  );
  assert.equal(
    connectFailed(new Error('refused'), { ...target, database: 'app', named: true }).message,
    'Could not connect to the database "app" at localhost:5432 as "ann": refused',
  );
});

test('a password that was not given is called so', () => {
  const cause = new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string');
  assert.match(connectFailed(cause).message, /The server asks for a password, and none was given$/);
});
