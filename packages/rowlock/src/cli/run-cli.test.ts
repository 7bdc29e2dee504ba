import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../testing/database.js';
import { runCli } from './run-cli.js';

let server: TestDatabase;

before(async () => {
  server = await createTestDatabase({ migrated: false });
});

after(async () => {
  await server.drop();
});

interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function rowlock(...args: string[]): Promise<Run> {
  const said = { out: '', err: '' };
  const code = await runCli(args, {
    env: { DATABASE_URL: server.url },
    out: (text) => void (said.out += `${text}\n`),
    err: (text) => void (said.err += `${text}\n`),
  });
  return { code, ...said };
}

test('help and version', async () => {
  assert.match((await rowlock('--help')).out, /Usage: rowlock <command>/);
  assert.match((await rowlock('migrate', '--help')).out, /--dry-run/);
  assert.match((await rowlock('--version')).out, /^\d+\.\d+\.\d+/);
});

test('a command line that means nothing exits with 2 and says how to say it', async () => {
  const wrong = [
    [],
    ['migrat'],
    ['migrate', '--what'],
    ['migrate', 'now'],
    ['migrate', '--check', '--sql'],
    ['migrate', '--schema', 'x'.repeat(64)],
    ['migrate', '--grant', ''],
  ];
  for (const args of wrong) {
    const run = await rowlock(...args);
    assert.equal(run.code, 2, args.join(' '));
    assert.equal(run.out, '');
    assert.match(run.err, /Usage: rowlock|--schema: |--grant must be the name of a role: /);
  }
});

test('migrate: dry run, check, apply, again', async () => {
  assert.match(
    (await rowlock('migrate', '--dry-run')).out,
    /^Would apply migration 1 \(\w+\) to schema "rowlock"\.$/m,
  );
  const missing = await rowlock('migrate', '--check');
  assert.equal(missing.code, 1);
  assert.match(missing.err, /^SCHEMA_MISSING: .*npx rowlock migrate/);
  assert.match((await rowlock('migrate')).out, /^Applied migration 1 \(\w+\) to schema "rowlock"\.$/m);
  for (const args of [['migrate'], ['migrate', '--check'], ['migrate', '--dry-run']]) {
    assert.deepEqual(await rowlock(...args), { code: 0, out: 'Schema "rowlock" is up to date.\n', err: '' });
  }
});

test('the SQL needs no database, and leaves migrate nothing to do', async () => {
  const schema = 'by "hand"';
  const { out } = await rowlock(
    'migrate',
    '--sql',
    '--schema',
    schema,
    '--url',
    'postgres://127.0.0.1:1/none',
  );
  const client = new Client({ connectionString: server.url });
  await client.connect();
  await client.query(out);
  await client.end();
  assert.equal((await rowlock('migrate', '--check', '--schema', schema)).code, 0);
  assert.ok(
    !(await rowlock('migrate', '--dry-run', '--sql', '--schema', schema)).out.includes(
      'create table "by ""hand""".job',
    ),
  );
});

test('a URL that would mean another database is refused without being repeated', async () => {
  for (const url of ['', 'mysql://h/db', 'user:SECRET@h/db', 'postgres://user:SEC#RET@h/db']) {
    const run = await rowlock('migrate', '--url', url);
    assert.deepEqual([run.code, run.out], [2, ''], url);
    assert.match(run.err, /^--url (?:must begin with postgres:\/\/|is no URL that can be read)/);
    assert.doesNotMatch(run.err, /SEC/);
  }
});

test('help and printed SQL need no database, and so no URL', async () => {
  for (const args of [['--help'], ['-h'], ['--sql']])
    assert.equal((await rowlock('migrate', ...args, '--url', '')).code, 0);
});

test('a failure is one sentence with its code', async () => {
  const down = await rowlock('migrate', '--url', 'postgres://127.0.0.1:1/none');
  assert.deepEqual([down.code, down.out], [1, '']);
  assert.match(
    down.err,
    /^CONNECTION: Could not connect to the database "none" at 127\.0\.0\.1:1.*: .*ECONNREFUSED.*\n$/,
  );
});

test('a grant to nobody leaves nothing behind, run or printed', async () => {
  const grant = ['migrate', '--schema', 'granted', '--grant', 'nobody is called so'];
  for (const how of [[], ['--dry-run']]) {
    const noRole = await rowlock(...grant, ...how);
    assert.deepEqual([noRole.code, noRole.out], [1, '']);
    assert.match(noRole.err, /^ROLE_MISSING: role "nobody is called so" does not exist, .*create role.*\n$/);
  }
  const client = new Client({ connectionString: server.url });
  await client.connect();
  const { out } = await rowlock(...grant, '--sql');
  await assert.rejects(client.query(out), { code: '42704' });
  await client.end();
  assert.match((await rowlock('migrate', '--check', '--schema', 'granted')).err, /^SCHEMA_MISSING: /);
});
