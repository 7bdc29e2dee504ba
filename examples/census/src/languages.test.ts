import assert from 'node:assert/strict';
import { test } from 'node:test';
import { languageOf } from './languages.js';

test('the extension tells the language, whatever its case', () => {
  const expected = {
    'a/b.ts': 'TypeScript',
    'types.d.ts': 'TypeScript',
    'MAIN.CJS': 'JavaScript',
    'index.js.map': 'Source map',
    'package.json': 'JSON',
    'README.md': 'Markdown',
    'x.sql': 'SQL',
    'lib/libpq.so': 'Binary',
    'lib/libpq.so.5.18': 'Binary',
  };
  for (const [path, language] of Object.entries(expected)) assert.equal(languageOf(path), language, path);
});

test('a name that tells nothing is Other', () => {
  for (const path of ['LICENSE', '.gitignore', 'a.ts/b', 'x.unheard', 'ends.', '__proto__', 'x.constructor'])
    assert.equal(languageOf(path), 'Other', path);
});
