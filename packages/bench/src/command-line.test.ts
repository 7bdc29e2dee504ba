import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCommandLine } from './command-line.js';

const lanes = ['drain', 'xmin'];

test('a lane alone takes the defaults', () => {
  assert.deepEqual(parseCommandLine(['drain'], lanes), {
    ...{ lane: 'drain', quick: false, rounds: 3, holdSeconds: 240, json: null, write: false },
  });
  assert.equal(parseCommandLine(['xmin'], lanes).rounds, 1);
  assert.equal(parseCommandLine(['xmin', '--quick'], lanes).holdSeconds, 14);
});

test('options are taken as given', () => {
  const args = ['xmin', '--rounds', '9', '--hold', '30', '--json', 'out.json', '--write'];
  assert.deepEqual(parseCommandLine(args, lanes), {
    ...{ lane: 'xmin', quick: false, rounds: 9, holdSeconds: 30, json: 'out.json', write: true },
  });
});

test('what cannot be meant is refused', () => {
  assert.throws(() => parseCommandLine([], lanes), /Name one lane: drain, xmin/);
  assert.throws(() => parseCommandLine(['fly'], lanes), /Name one lane/);
  assert.throws(() => parseCommandLine(['drain', 'xmin'], lanes), /Name one lane/);
  assert.throws(() => parseCommandLine(['drain', '--rounds', '0'], lanes), /--rounds takes/);
  assert.throws(() => parseCommandLine(['xmin', '--hold', 'long'], lanes), /--hold takes/);
  assert.throws(() => parseCommandLine(['drain', '--fast'], lanes), /fast/);
});
