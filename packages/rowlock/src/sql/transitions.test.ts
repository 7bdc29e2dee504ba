import assert from 'node:assert/strict';
import { test } from 'node:test';
import { transitions } from '../job/transitions.js';
import { contracts } from './generated/statements.gen.js';

/** `running -> completed, retryable` of a statement's header, as one line for each change. */
function changesOf(name: string, header: string): string[] {
  const [from = '', to = ''] = header.replace(' (parked)', '').split(' -> ');
  return from.split(', ').flatMap((one) => to.split(', ').map((other) => `${name}: ${one} -> ${other}`));
}

test('the statements make the changes of the table of transitions, and no others', () => {
  const stated = Object.values(contracts).flatMap(({ name, transitions: headers }) =>
    headers.filter((header) => header !== 'none').flatMap((header) => changesOf(name, header)),
  );
  const listed = transitions.flatMap(({ from, to, by }) =>
    by.map((name) => `${name}: ${from ?? '(none)'} -> ${to}`),
  );
  assert.deepEqual(stated.toSorted(), [...new Set(listed)].toSorted());
});
