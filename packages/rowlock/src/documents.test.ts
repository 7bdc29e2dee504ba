import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import ts from 'typescript';
import { createTestDatabase, type TestDatabase } from './testing/database.js';
import { codeBlocks, tableOf } from './testing/document.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const source = join(root, 'packages/rowlock/src');

let database: TestDatabase;
before(async () => (database = await createTestDatabase()));
after(() => database.drop());

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

test('the code of the README runs as it is, in at most 25 lines', async () => {
  const [code = ''] = codeBlocks(read('README.md'), 'ts');
  const lines = code.split('\n').filter((line) => line.trim() !== '');
  assert.ok(lines.length <= 25, `${lines.length} lines`);
  const answer = await runScript(code);
  assert.deepEqual(answer, {
    code: 0,
    out: 'attempt 1: Welcome, Ada!\njob 1 is completed\n',
    err: '',
  });
});

async function runScript(code: string): Promise<{ code: number; out: string; err: string }> {
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ES2022 },
  });
  // Beside this file, so that `rowlock` is found as by a user of the package.
  const file = fileURLToPath(new URL(`readme-${database.name}.mjs`, import.meta.url));
  await writeFile(file, outputText);
  try {
    const child = spawn(process.execPath, [file], { env: { ...process.env, DATABASE_URL: database.url } });
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
      if (out.includes('is completed')) child.kill('SIGTERM');
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    const [exitCode] = (await once(child, 'close')) as [number];
    return { code: exitCode, out, err };
  } finally {
    await rm(file);
  }
}

test('every SQL text that the documents show runs', async () => {
  const documents = ['docs/quickstart.md', ...pages('docs/guides'), ...pages('docs/reference')];
  const texts = documents.flatMap((page) => codeBlocks(read(page), 'sql').map((text) => ({ page, text })));
  assert.ok(texts.length >= 20, `only ${texts.length} texts`);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    for (const { page, text } of texts) {
      await client.query('begin; create table users (id bigint)');
      await assert.doesNotReject(client.query(text), `${page}: ${text}`);
      await client.query('rollback');
    }
  } finally {
    await client.end();
  }
});

function pages(folder: string): string[] {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);
}

/** The tables of the configuration page, and the types that they are about. */
const optionTables = [
  { heading: 'The client', file: 'config/options.ts', type: 'RowlockOptions' },
  { heading: 'A worker', file: 'config/options.ts', type: 'WorkerOptions' },
  { heading: 'One queue of a worker', file: 'config/options.ts', type: 'QueueOptions' },
  { heading: 'Polling', file: 'config/options.ts', type: 'PollOptions' },
  { heading: 'A kind', file: 'job/define.ts', type: 'DefineJobOptions' },
  { heading: 'One job', file: 'job/request.ts', type: 'JobOptions' },
  { heading: 'One call', file: 'enqueue/options.ts', type: 'TransactionOptions' },
];

test('the configuration page has every option, with the default that its type documents', () => {
  const page = read('docs/reference/configuration.md');
  for (const { heading, file, type } of optionTables) {
    const rows = tableOf(page, heading).map(([option = '', , value = '']) => [bare(option), bare(value)]);
    assert.deepEqual(rows, documentedOptions(file, type), heading);
  }
});

function bare(cell: string): string {
  return cell.replaceAll('`', '');
}

function documentedOptions(file: string, type: string): string[][] {
  const text = readFileSync(join(source, file), 'utf8');
  const body =
    new RegExp(`interface ${type}(?:<[^]*?>)? (?:extends [^{]+)?\\{\\n([^]*?)\\n\\}`).exec(text)?.[1] ?? '';
  const options = body.matchAll(/\/\*\*([^]*?)\*\/\s*readonly (\w+)\??:/g);
  return [...options].map(([, comment = '', option = '']) => {
    const value = /@defaultValue ([^]*)/.exec(comment)?.[1] ?? 'required';
    return [option, bare(value.replace(/\s+\*?\s*/g, ' ').trim())];
  });
}
