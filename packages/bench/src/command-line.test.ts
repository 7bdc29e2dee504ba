import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCommandLine } from './command-line.js';

const known = {
  lanes: { drain: { rounds: 3 }, xmin: { rounds: 1, seconds: { full: 240, quick: 14 } } },
  peers: ['pg-boss', 'pgmq'],
};

const xminOnly = { perSecond: 4000, holders: ['nobody', 'reader', 'writer'] };

test('a lane alone takes the defaults', () => {
  assert.deepEqual(parseCommandLine(['drain'], known), {
    ...{
      lane: 'drain',
      against: [],
      quick: false,
      rounds: 3,
      seconds: NaN,
      ...xminOnly,
      json: null,
      write: false,
    },
  });
  assert.equal(parseCommandLine(['xmin'], known).rounds, 1);
  assert.equal(parseCommandLine(['xmin', '--quick'], known).seconds, 14);
});

test('options are taken as given', () => {
  const args = [
    'xmin',
    '--against',
    'pgmq',
    '--rounds',
    '9',
    '--seconds',
    '30',
    '--json',
    'out.json',
    '--write',
  ];
  assert.deepEqual(parseCommandLine(args, known), {
    ...{
      lane: 'xmin',
      against: ['pgmq'],
      quick: false,
      rounds: 9,
      seconds: 30,
      ...xminOnly,
      json: 'out.json',
      write: true,
    },
  });
});

test('all peers are meant by one word, and each once', () => {
  assert.deepEqual(parseCommandLine(['drain', '--against', 'all'], known).against, ['pg-boss', 'pgmq']);
  assert.deepEqual(parseCommandLine(['drain', '--against', 'pgmq', '--against', 'pgmq'], known).against, [
    'pgmq',
  ]);
});

test('what cannot be meant is refused', () => {
  assert.throws(() => parseCommandLine([], known), /Name one lane: drain, xmin/);
  assert.throws(() => parseCommandLine(['fly'], known), /Name one lane/);
  assert.throws(() => parseCommandLine(['drain', 'xmin'], known), /Name one lane/);
  assert.throws(() => parseCommandLine(['drain', '--rounds', '0'], known), /--rounds takes/);
  assert.throws(() => parseCommandLine(['xmin', '--seconds', 'long'], known), /--seconds takes/);
  assert.throws(() => parseCommandLine(['drain', '--seconds', '5'], known), /does not go by the clock/);
  assert.throws(() => parseCommandLine(['toString'], known), /Name one lane/);
  assert.throws(
    () => parseCommandLine(['drain', '--against', 'cron'], known),
    /pg-boss, pgmq or all, not cron/,
  );
  assert.throws(() => parseCommandLine(['drain', '--fast'], known), /fast/);
});
