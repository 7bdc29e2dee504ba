import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionError } from '../job/errors.js';
import { silentLogger } from '../observe/logger.js';
import { serverError } from '../testing/scripted-database.js';
import { Contact } from './contact.js';

test('the cause is what the last failed call said, until another is answered', () => {
  const changes: boolean[] = [];
  const contact = new Contact(silentLogger, (ok) => changes.push(ok));
  assert.deepEqual([contact.ok, contact.cause], [true, null]);
  contact.cannotStart(new ConnectionError('refused'));
  assert.deepEqual([contact.ok, contact.cause], [true, 'refused']);
  contact.failed(serverError('42501'));
  assert.deepEqual([contact.ok, contact.cause], [true, 'refused with 42501']);
  contact.failed(new ConnectionError('lost'));
  contact.failed(new ConnectionError('lost again'));
  assert.deepEqual([contact.ok, contact.cause, changes], [false, 'lost again', [false]]);
  contact.answered();
  contact.answered();
  assert.deepEqual([contact.ok, contact.cause, changes], [true, null, [false, true]]);
});

test('a call that gave way to another transaction is told at info: it is made again', () => {
  const told: string[] = [];
  const note =
    (level: string) =>
    (message: string): void =>
      void told.push(`${level}: ${message}`);
  const logger = { ...silentLogger, info: note('info'), warn: note('warn') };
  const contact = new Contact(logger, () => undefined);
  contact.failed(serverError('55P03'));
  contact.failed(serverError('42501'));
  assert.deepEqual(told, [
    'info: a call of the worker gave way',
    'warn: a call of the worker to the database failed',
  ]);
  assert.equal(contact.ok, true);
});

test('a cause is one line without credentials', () => {
  const contact = new Contact(silentLogger, () => undefined);
  contact.failed(new Error('cannot reach\npostgres://ann:se:cret@db/app'));
  assert.equal(contact.cause, 'cannot reach postgres://…@db/app');
  contact.failed(new Error('x'.repeat(10_000)));
  assert.equal(contact.cause?.length, 500);
});
