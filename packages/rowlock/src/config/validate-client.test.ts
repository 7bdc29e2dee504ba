import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pool } from 'pg';
import { silentLogger } from '../observe/logger.js';
import type { RowlockOptions } from './options.js';
import { clientConfig } from './validate-client.js';

function refused(options: unknown, field: string, problem: string): void {
  assert.throws(() => clientConfig(options as RowlockOptions), {
    code: 'CONFIG_INVALID',
    field,
    message: `${field} ${problem}`,
  });
}

test('every option of a client has its documented default', () => {
  const { logger, ...config } = clientConfig({}, 'production');
  assert.deepEqual(config, {
    maxConnections: 4,
    schema: 'rowlock',
    migrate: 'check',
    maxArgsBytes: 1_048_576,
    maxWaitingJobs: 100_000,
  });
  assert.equal(typeof logger.warn, 'function');
  for (const nodeEnv of ['', 'test', 'development']) assert.equal(clientConfig({}, nodeEnv).migrate, 'auto');
});

test('options of a client are kept', () => {
  const connection = { connectionString: 'postgres://localhost/app', config: { application_name: 'app' } };
  const given = { schema: 'Jöbs "x"', migrate: 'off', maxArgsBytes: 10 } as const;
  const limits = { maxConnections: 1, maxWaitingJobs: 5 };
  const heard: string[] = [];
  const warn = (message: string): void => void heard.push(message);
  const { logger, ...kept } = clientConfig({
    ...{ ...connection, ...given, ...limits },
    logger: { ...silentLogger, warn },
  });
  assert.deepEqual(kept, { ...connection, ...given, ...limits });
  logger.warn('heard');
  assert.deepEqual(heard, ['heard']);
});

test('a pool is taken as it is and excludes other settings', async () => {
  const pool = new Pool();
  assert.equal(clientConfig({ pool }).pool, pool);
  for (const other of [{ connectionString: 'x' }, { config: {} }, { maxConnections: 4 }]) {
    const name = Object.keys(other).join();
    refused({ pool, ...other }, 'pool', `excludes ${name}: the pool has its own settings; give one of them`);
  }
  refused({ pool: {} }, 'pool', 'must be a Pool of pg (got an object)');
  await pool.end();
});

test('options of a client that cannot work are refused with field, value and remedy', () => {
  refused(
    null,
    'options',
    'must be an object (got null): its options are connectionString, config, pool, maxConnections, schema, migrate, logger, maxArgsBytes, maxWaitingJobs',
  );
  refused({ conectionString: 'x' }, 'conectionString', "is not an option: did you mean 'connectionString'?");
  refused(
    { zzz: 1 },
    'zzz',
    'is not an option: known are connectionString, config, pool, maxConnections, schema, migrate, logger, maxArgsBytes, maxWaitingJobs',
  );
  refused(
    { connectionString: 5 },
    'connectionString',
    "must be a string like 'postgres://host/database' (got 5)",
  );
  refused({ config: 'x' }, 'config', 'must be an object (got "x"): settings of the driver, like { host }');
  refused({ maxConnections: 0 }, 'maxConnections', 'must be a whole number from 1 to 1000 (got 0)');
  refused({ maxArgsBytes: 0 }, 'maxArgsBytes', 'must be a whole number from 1 to 104857600 (got 0)');
  refused({ maxWaitingJobs: 0 }, 'maxWaitingJobs', 'must be a whole number from 1 to 100000000 (got 0)');
  refused({ migrate: true }, 'migrate', "must be one of 'check', 'auto', 'off' (got true)");
  refused({ schema: '' }, 'schema', `must be a name like 'rowlock' (got "")`);
  refused({ schema: 'é'.repeat(32) }, 'schema', 'is 64 bytes long: PostgreSQL keeps at most 63');
  refused({ schema: 'a\0' }, 'schema', 'holds a NUL character or a lone surrogate: remove it');
  refused({ schema: 'pg_jobs' }, 'schema', 'must not begin with pg_ (got "pg_jobs")');
  refused(
    { logger: { warn: () => 1 } },
    'logger',
    'lacks the method debug, info, error: use { debug, info, warn, error }',
  );
  refused(
    { logger: null },
    'logger',
    'lacks the method debug, info, warn, error: use { debug, info, warn, error }',
  );
});

test('a connection string is a URL of PostgreSQL or the path of a socket', () => {
  const good = [
    'postgres://h/d',
    'postgresql://u:p@h:5432/d',
    'POSTGRES://h',
    '/run/postgresql app',
    'socket:/run',
  ];
  for (const connectionString of good)
    assert.equal(clientConfig({ connectionString }).connectionString, connectionString);
  const remedy = 'must begin with postgres:// or postgresql://, or be the path of a socket';
  const bad = [
    ['', 'got an empty string'],
    ['not a url', 'got text without a scheme'],
    ['host=db password=secret', 'got text without a scheme'],
    ['user:secret@db', 'got text without a scheme'],
    ['http://user:secret@db/app', 'got http://…'],
    ['mysql://root:secret@db/app', 'got mysql://…'],
  ];
  for (const [connectionString, got] of bad)
    refused({ connectionString }, 'connectionString', `${remedy} (${got})`);
});

test('a connection string that cannot be read is refused before it is used', () => {
  for (const connectionString of ['postgres://app:a#b@h/d', 'postgres://app:a%ff@h/d'])
    refused(
      { connectionString },
      'connectionString',
      'is no URL that can be read: write characters like # / ? @ % of its user and password as %23, %2F and so on',
    );
});

test('no refusal repeats a password', () => {
  const url = 'postgres://app:secret@h/d';
  refused(url, 'options', "must be an object: new Rowlock({ connectionString: '…' })");
  for (const [text, shown] of [
    [url, 'postgres://…'],
    ['postgres://h/d?password=secret', 'postgres://…'],
    ['url: postgres://app:secret@h', 'url: postgres://…'],
  ])
    refused({ pool: text as never }, 'pool', `must be a Pool of pg (got "${String(shown)}")`);
  refused(
    { config: url as never },
    'config',
    'must be an object (got "postgres://…"): settings of the driver, like { host }',
  );
});
