import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nemeses } from './nemesis/nemeses.js';
import type { RoundResult } from './round-result.js';
import { barsOf, verdictOf } from './verdict.js';

const enough: RoundResult = {
  nemesis: 'kill',
  seed: 1,
  seconds: 180,
  strikes: [],
  hits: 25,
  hitsWhileRunning: 20,
  jobs: 1000,
  enqueuesInTransactions: 100,
  rolledBack: 5,
  attempts: 1000,
  refused: 10,
  rescues: 10,
  unknown: 5,
  reincarnations: 0,
  recovery: { jobs: 10, maxGivenBackMs: 1, maxStartedAgainMs: 1, medianStartedAgainMs: 1 },
  boundMs: 4000,
  quietAfterMs: 0,
  looks: 1,
  violations: [],
};

const verdict = (round: RoundResult, chosen = nemeses, missing = 0): string =>
  verdictOf([round], barsOf(chosen, [round]), missing);

test('a campaign with enough of everything and no violation has held', () => {
  assert.equal(verdict(enough), 'held');
});

test('too little of anything makes it void', () => {
  const short: Partial<RoundResult>[] = [
    { hitsWhileRunning: 19 },
    { refused: 9 },
    { rescues: 9 },
    { unknown: 4 },
    { rolledBack: 4 },
    { enqueuesInTransactions: 0, rolledBack: 0 },
  ];
  for (const lack of short) assert.equal(verdict({ ...enough, ...lack }), 'void', JSON.stringify(lack));
});

test('a selection is not asked for what it cannot cause', () => {
  const blockLoop = nemeses.filter(({ name }) => name === 'block-loop');
  assert.equal(verdict({ ...enough, refused: 0, rescues: 0, unknown: 0 }, blockLoop), 'held');
});

test('a campaign with rounds missing is not over', () => {
  assert.equal(verdict(enough, nemeses, 1), 'unfinished');
});

test('a violation outweighs everything', () => {
  const violations = [{ invariant: 'lost', count: 1, details: ['token 1 is nowhere'] }];
  assert.equal(verdict({ ...enough, hitsWhileRunning: 0, violations }, nemeses, 1), 'violated');
});
