import assert from 'node:assert/strict';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import ts from 'typescript';
import { Child } from './testing/child-process.js';
import { createTestDatabase, type TestDatabase } from './testing/database.js';
import { namedBlocks } from './testing/document.js';
import { until } from './testing/until.js';

let database: TestDatabase;
/** Beside this file, so that `rowlock` is found as by a user of the package. */
let folder: URL;

before(async () => {
  database = await createTestDatabase({ migrated: false });
  folder = new URL(`${database.name}/`, import.meta.url);
  await mkdir(folder);
});

after(async () => {
  await rm(folder, { recursive: true });
  await database.drop();
});

test('the programs of the quickstart, one after another, print what it says', async () => {
  const page = await readFile(new URL('../../../docs/quickstart.md', import.meta.url), 'utf8');
  const { options } = ts.convertCompilerOptionsFromJson(compilerOptionsOf(page), '.');
  for (const [name, code] of namedBlocks(page, 'ts')) {
    const { outputText } = ts.transpileModule(code, { compilerOptions: options, fileName: name });
    await writeFile(new URL(compiled(name), folder), outputText);
  }
  process.env['DATABASE_URL'] = database.url;
  const outputs = namedBlocks(page, 'text');
  assert.deepEqual([...outputs.keys()], ['enqueue.ts', 'work.ts', 'fail.ts', 'look.ts']);
  for (const [name, output] of outputs) {
    const lines = output.trimEnd().split('\n');
    assert.deepEqual((await printed(name, lines.length)).sort(), lines.sort(), name);
  }
});

function compilerOptionsOf(page: string): object {
  const text = namedBlocks(page, 'json').get('tsconfig.json') ?? '';
  const { compilerOptions } = JSON.parse(text) as { compilerOptions: object };
  return { ...compilerOptions, module: 'ES2022' };
}

function compiled(name: string): string {
  return name.replace(/\.ts$/, '.js');
}

/** What the program prints; the worker goes on until it is told to stop. */
async function printed(name: string, count: number): Promise<string[]> {
  await using child = new Child(new URL(compiled(name), folder).href, []);
  if (name === 'work.ts') {
    await until(() => child.lines.length >= count, { what: `${name} prints ${String(count)} lines` });
    child.kill('SIGTERM');
  }
  // The worker logs the one job that is discarded, on stderr; nothing else is amiss.
  const logged = name === 'fail.ts' ? /^0 \{[^\n]*"message":"a job was discarded"[^\n]*\}$/ : /^0$/;
  assert.match(await child.ending(), logged, name);
  return child.lines;
}
