import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { ErrorCode } from './error-codes.js';
import { errorCodes } from './error-codes.js';
import * as errors from './errors.js';

const reference = new URL('../../../../docs/reference/errors.md', import.meta.url);

type Named = Record<string, new (...parameters: string[]) => errors.RowlockError>;

function className(code: string): string {
  return `${code.toLowerCase().replace(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase())}Error`;
}

test('every code has one class, whose errors carry the code and the name', () => {
  const classes = errors as unknown as Named;
  for (const code of Object.keys(errorCodes)) {
    const Class = classes[className(code)];
    assert.ok(Class !== undefined, `${code} has no class`);
    if (code === 'ARGS_INVALID') continue;
    const error = new Class('a', 'b');
    assert.equal(error.code, code);
    assert.equal(error.name, className(code));
    assert.ok(error instanceof errors.RowlockError && error instanceof Error);
  }
});

test('an error keeps its cause', () => {
  const cause = new Error('socket closed');
  assert.equal(new errors.ConnectionError('lost', { cause }).cause, cause);
  assert.equal('cause' in new errors.ConnectionError('lost'), false);
});

test('hasCode knows errors of other copies and survives hostile ones', () => {
  const throwing = {
    get code(): never {
      throw new Error('no');
    },
  };
  assert.equal(errors.hasCode(new errors.LeaseLostError(), 'LEASE_LOST'), true);
  assert.equal(errors.hasCode({ code: 'LEASE_LOST' }, 'LEASE_LOST'), true);
  for (const other of [null, undefined, 'LEASE_LOST', {}, { code: 'TIMEOUT' }, throwing]) {
    assert.equal(errors.hasCode(other, 'LEASE_LOST'), false);
  }
});

test('reasons of an abort are told apart by code', () => {
  const reasons: errors.AbortReason[] = [
    new errors.ShutdownError(),
    new errors.TimeoutError('after 30 s'),
    new errors.LeaseLostError(),
  ];
  const codes: ErrorCode[] = ['SHUTDOWN', 'TIMEOUT', 'LEASE_LOST'];
  assert.deepEqual(
    reasons.map((reason) => reason.code),
    codes,
  );
});

test('the reference lists every code with its meaning and remedy', () => {
  const sections = readFileSync(reference, 'utf8').split(/^## /m).slice(1);
  const expected = Object.entries(errorCodes).map(
    ([code, { meaning, remedy }]) => `${code}\n\n\`${className(code)}\`. ${meaning}\n\nWhat to do: ${remedy}`,
  );
  assert.deepEqual(
    sections.map((section) => section.trim()),
    expected,
  );
  assert.deepEqual(Object.keys(errorCodes), Object.keys(errorCodes).toSorted());
});
