import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../testing/database.js';
import { atTheGate, Gate, gatekeeper, isAtTheGate } from '../testing/gate.js';
import { rawStatement } from '../testing/raw-statement.js';
import { startTcpProxy, type TcpProxy } from '../testing/tcp-proxy.js';
import { until } from '../testing/until.js';
import { openDatabase, type DatabaseOptions } from './database.js';
import type { Database } from './executor.js';

const insert = rawStatement('insert into public.fact (n) values ($1)');
const count = rawStatement('select count(*) from public.fact where n = $1');
const wait = rawStatement(atTheGate);
const backendPid = rawStatement('select pg_backend_pid()');
const terminateOthers = rawStatement(
  `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = $1 and application_name <> '${gatekeeper}'`,
);
const waiting = rawStatement(`select count(*) from pg_stat_activity where ${isAtTheGate}`);

let server: TestDatabase;
let proxy: TcpProxy;
/** Not by way of the proxy. */
let direct: Database;
let gate: Gate;

before(async () => {
  server = await createTestDatabase({ migrated: false });
  proxy = await startTcpProxy(server.url);
  gate = await Gate.close(server.url);
  direct = openDatabase({ connectionString: server.url, maxConnections: 1 });
  await direct.run(rawStatement('create table public.fact (n int primary key)'), []);
});

after(async () => {
  await gate.open();
  await direct.close();
  await proxy.close();
  await server.drop();
});

async function withDatabase(
  options: DatabaseOptions,
  work: (database: Database) => Promise<void>,
): Promise<void> {
  proxy.mode = 'pass';
  const database = openDatabase({
    connectionString: proxy.url,
    connectTimeLimit: 400,
    callTimeLimit: 400,
    ...options,
  });
  try {
    await work(database);
  } finally {
    await database.close();
    proxy.mode = 'pass';
    proxy.cut();
  }
}

/** Another process has the server answer them, while nothing is heard here. */
function cancelThoseAtTheGateBlocking(): void {
  const script = `
    import { Client } from 'pg';
    const client = new Client({ connectionString: process.argv[1] });
    await client.connect();
    const mine = 'from pg_stat_activity where ' + process.argv[2];
    await client.query('select pg_cancel_backend(pid) ' + mine);
    while ((await client.query('select ' + mine)).rowCount > 0);
    await client.end();`;
  execFileSync(process.execPath, ['--input-type=module', '-e', script, server.url, isAtTheGate], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

test('a database that nothing names is looked for where the environment says, and the error tells where', async () => {
  const names = ['PGHOST', 'PGPORT', 'PGDATABASE', 'PGUSER', 'PGPASSWORD'] as const;
  const before = names.map((name) => [name, process.env[name]] as const);
  const elsewhere = { PGHOST: '127.0.0.1', PGPORT: '1', PGDATABASE: 'app', PGUSER: 'ann' };
  Object.assign(process.env, { ...elsewhere, PGPASSWORD: 'secret' });
  const database = openDatabase({});
  try {
    await assert.rejects(database.run(backendPid, []), (error: Error) => {
      assert.match(
        error.message,
        /"app" at 127\.0\.0\.1:1 as "ann": .*ECONNREFUSED.*No connectionString.*PGHOST and PGPORT decide/,
      );
      assert.equal(error.message.includes('secret'), false);
      return true;
    });
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
    await database.close();
  }
});

test('idle connections that are killed end nothing, and the next call dials again', async () => {
  const lost: Error[] = [];
  await withDatabase({ onConnectionLost: (error) => lost.push(error) }, async (database) => {
    const [before] = await database.run(backendPid, []);
    await direct.run(terminateOthers, ['client backend']);
    await until(() => lost.length === 1);
    const [now] = await database.run(backendPid, []);
    assert.notDeepEqual(now, before);
  });
});

test('a busy connection that is killed: unknown in autocommit, nothing happened before a commit', async () => {
  await withDatabase({ callTimeLimit: 10_000 }, async (database) => {
    const alone = assert.rejects(database.run(wait, []), { code: 'OUTCOME_UNKNOWN' });
    const inside = assert.rejects(
      database.transaction((tx) => tx.run(wait, [])),
      { code: 'CONNECTION' },
    );
    await until(async () => (await direct.run(waiting, []))[0]?.[0] === '2');
    await direct.run(terminateOthers, ['client backend']);
    await Promise.all([alone, inside]);
    await database.run(backendPid, []);
  });
});

test('an answer lost in the network is an unknown outcome within the time limit', async () => {
  await withDatabase({}, async (database) => {
    await database.run(count, [1]);
    proxy.mode = 'deaf';
    await assert.rejects(database.run(insert, [1]), { code: 'OUTCOME_UNKNOWN' });
    proxy.mode = 'pass';
    assert.deepEqual(await database.run(count, [1]), [['1']]);
  });
});

test('a lost answer to a commit is an unknown outcome; a lost request before it is not', async () => {
  await withDatabase({}, async (database) => {
    const committing = database.transaction(async (tx) => {
      await tx.run(insert, [2]);
      proxy.mode = 'deaf';
    });
    await assert.rejects(committing, { code: 'OUTCOME_UNKNOWN' });
    proxy.mode = 'pass';
    assert.deepEqual(await direct.run(count, [2]), [['1']]);
    const working = database.transaction(async (tx) => {
      proxy.mode = 'black-hole';
      await tx.run(insert, [3]);
    });
    await assert.rejects(working, { code: 'CONNECTION' });
  });
  assert.deepEqual(await direct.run(count, [3]), [['0']]);
});

test('nothing hangs in a black hole: neither a connect, nor a call, nor the close', async () => {
  await withDatabase({}, async (database) => {
    await Promise.all([database.run(count, [0]), database.run(count, [0])]);
    proxy.mode = 'black-hole';
    const calls = Array.from({ length: 8 }, () =>
      database.run(count, [0]).catch((error: unknown) => (error as { code?: string }).code),
    );
    const codes = new Set(await Promise.all(calls));
    assert.deepEqual([...codes].sort(), ['CONNECTION', 'OUTCOME_UNKNOWN']);
    await assert.rejects(database.run(count, [0]), { code: 'CONNECTION' });
    proxy.mode = 'pass';
    await Promise.all([database.run(count, [0]), database.run(count, [0])]);
    proxy.mode = 'black-hole';
  });
});

test('a server that refuses or resets is a connection error, and is dialled again', async () => {
  await withDatabase({}, async (database) => {
    await database.run(count, [0]);
    proxy.mode = 'refuse';
    proxy.cut();
    await assert.rejects(database.run(count, [0]));
    await assert.rejects(database.run(count, [0]), { code: 'CONNECTION' });
    proxy.mode = 'pass';
    await database.run(count, [0]);
  });
  const nowhere = openDatabase({ connectionString: 'postgres://127.0.0.1:1/none' });
  await assert.rejects(nowhere.run(count, [0]), { code: 'CONNECTION', message: /ECONNREFUSED/ });
  await nowhere.close();
});

test('a read-only server is left for another one', async () => {
  await withDatabase({ maxConnections: 1 }, async (database) => {
    await direct.run(
      rawStatement(`alter database ${server.name} set default_transaction_read_only = on`),
      [],
    );
    await assert.rejects(database.run(insert, [4]), { code: 'CONNECTION', message: /read-only/ });
    // The setting is read when a session begins: only a new connection sees that it is gone.
    await direct.run(rawStatement(`alter database ${server.name} reset default_transaction_read_only`), []);
    await database.run(insert, [4]);
  });
});

test('whoever waits for a connection gets the one given back; it is not kept at hand for later', async () => {
  await withDatabase({ maxConnections: 1, connectTimeLimit: 600 }, async (database) => {
    for (let round = 0; round < 3; round += 1)
      await Promise.all([1, 2, 3].map(() => database.run(backendPid, [])));
    const pids = await Promise.all([1, 2, 3].map(() => database.run(backendPid, [])));
    assert.equal(new Set(pids.flat(2)).size, 1);
  });
});

test('an exhausted pool is a connection error, not a wait for ever', async () => {
  await withDatabase({ maxConnections: 2, callTimeLimit: 10_000 }, async (database) => {
    const busy = [1, 2].map(() => assert.rejects(database.run(wait, []), { code: 'OUTCOME_UNKNOWN' }));
    await until(async () => (await direct.run(waiting, []))[0]?.[0] === '2');
    await assert.rejects(database.run(count, [0]), { code: 'CONNECTION' });
    await direct.run(terminateOthers, ['client backend']);
    await Promise.all(busy);
    await database.run(count, [0]);
  });
});

test('an answer that came while the event loop was blocked is not thrown away', async () => {
  await withDatabase({ callTimeLimit: 2000 }, async (database) => {
    const begun = performance.now();
    const call = assert.rejects(database.run(wait, []), { code: '57014' });
    await until(async () => (await direct.run(waiting, []))[0]?.[0] === '1');
    cancelThoseAtTheGateBlocking();
    // The time limit of the call passes too before anything is heard here.
    while (performance.now() < begun + 2500);
    await call;
  });
});

test('a pool of the caller is guarded alike', async () => {
  const pool = new Pool({ connectionString: proxy.url, max: 2 });
  const lost: Error[] = [];
  await withDatabase({ pool, onConnectionLost: (error) => lost.push(error) }, async (database) => {
    await database.run(insert, [5]);
    await direct.run(terminateOthers, ['client backend']);
    await until(() => lost.length === 1);
    await database.run(count, [5]);
    proxy.mode = 'black-hole';
    await assert.rejects(database.run(insert, [6]), { code: 'CONNECTION' });
    await assert.rejects(database.run(insert, [6]), { code: 'CONNECTION' });
    proxy.mode = 'pass';
    proxy.cut();
    assert.deepEqual(await database.run(count, [6]), [['0']]);
  });
  await pool.end();
});

test('a read timeout of the driver, set in the connection string, hides no error of the server', async () => {
  const url = new URL(server.url);
  url.searchParams.set('query_timeout', '30000');
  await withDatabase({ connectionString: url.href }, async (database) => {
    await database.run(insert, [40]);
    await assert.rejects(database.run(insert, [40]), { code: '23505' });
  });
});
