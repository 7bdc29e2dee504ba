import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

const program = fileURLToPath(new URL('main.js', import.meta.url));
const database = `census_test_${String(process.pid)}`;
const serverUrl = process.env['ROWLOCK_TEST_URL'] ?? '';
let folder = '';

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'census-'));
  for (let n = 1; n <= 200; n += 1) await writeFile(join(folder, `${String(n)}.sql`), 'a line\n'.repeat(n));
  await writeFile(join(folder, 'last.ts'), 'no line feed');
  await ask(serverUrl, `create database ${database}`);
});

after(async () => {
  await rm(folder, { recursive: true });
  // Refused while a connection is left, which is half of the test.
  await ask(serverUrl, `drop database ${database}`);
});

test('a small census holds, with a worker killed at work and its jobs rescued', async () => {
  const census = take();
  const [output, errors] = await Promise.all([
    text(census.stdout),
    text(census.stderr),
    once(census, 'close'),
  ]);
  assert.equal(census.exitCode, 0, output + errors);
  assert.match(output, /201 files found below/);
  assert.match(output, /worker 1 \(pid \d+\) killed with SIGKILL/);
  assert.match(output, /rescued once its lease of 2 s is over \(.*15 s\)/);
  assert.match(output, /SQL +200 +20,100 +141 kB/);
  assert.match(output, /TypeScript +1 +1 +12 B/);
  assert.match(output, /✓ 201 files, each with exactly one row of history/);
  assert.match(output, /✓ [1-9]\d* jobs? rescued from the killed worker, all ended in attempt 2/);
  assert.match(output, /Nothing was lost, nothing was counted twice\.\n$/);
  assert.equal(errors, '');
  assert.deepEqual(await schemasLeft(), []);
});

test('Ctrl-C in the middle leaves no schema, no connection and no process', async () => {
  const census = take();
  const errors = text(census.stderr);
  for await (const line of createInterface(census.stdout)) {
    if (line.includes('worker processes started')) census.kill('SIGINT');
  }
  if (census.exitCode === null) await once(census, 'exit');
  assert.equal(census.exitCode, 130);
  assert.match(await errors, /Interrupted\. No process and no data is left behind\./);
  assert.deepEqual(await schemasLeft(), []);
});

function take(): ChildProcessByStdio<null, Readable, Readable> {
  const env = { ...process.env, DATABASE_URL: urlOfDatabase() };
  return spawn(process.execPath, [program, folder], { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

function urlOfDatabase(): string {
  const url = new URL(serverUrl);
  url.pathname = database;
  return url.href;
}

function schemasLeft(): Promise<unknown[]> {
  return ask(urlOfDatabase(), "select nspname from pg_namespace where nspname like 'census%'");
}

async function ask(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
