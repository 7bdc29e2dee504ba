import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderTallies, tallyByLanguage, total } from './tally.js';
import type { Counted } from './tally.js';

function file(language: string, lines: number, rescued = false): Counted {
  return { count: { sha256: '', bytes: lines * 1000, lines, language }, rescued };
}

const files = [file('SQL', 7), file('Go', 1), file('TypeScript', 1200, true), file('TypeScript', 34)];

test('sums per language, that with the most files first, then by name', () => {
  const tallies = tallyByLanguage(files);
  assert.deepEqual([...tallies.keys()], ['TypeScript', 'Go', 'SQL']);
  assert.deepEqual(tallies.get('TypeScript'), { files: 2, lines: 1234, bytes: 1_234_000, rescued: 1 });
  assert.deepEqual(total(tallies.values()), { files: 4, lines: 1242, bytes: 1_242_000, rescued: 1 });
});

test('the table of languages', () => {
  assert.deepEqual(renderTallies(tallyByLanguage(files)), [
    'Language     Files   Lines    Bytes   Rescued',
    '─────────────────────────────────────────────',
    'TypeScript       2   1,234   1.2 MB         1',
    'Go               1       1   1.0 kB',
    'SQL              1       7   7.0 kB',
    '─────────────────────────────────────────────',
    'Total            4   1,242   1.2 MB         1',
  ]);
});
