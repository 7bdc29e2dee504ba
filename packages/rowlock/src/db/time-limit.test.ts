import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deferred } from '../runtime/deferred.js';
import { withTimeLimit } from './time-limit.js';

const expired = (): Error => new Error('nothing came');

test('what answers in time is answered, what fails fails', async () => {
  assert.equal(await withTimeLimit(Promise.resolve(7), { ms: 60_000, expired }), 7);
  await assert.rejects(withTimeLimit(Promise.reject(new Error('no')), { ms: 60_000, expired }), /no/);
});

test('an answer that is still arriving is waited for, until nothing more comes', async () => {
  const looks = [0, 1, 2, 3, 3];
  let looked = 0;
  const progress = (): number => looks[looked++] ?? 3;
  await assert.rejects(withTimeLimit(deferred().promise, { ms: 1, expired, progress }), /nothing came/);
  assert.ok(looked >= looks.length);
});
