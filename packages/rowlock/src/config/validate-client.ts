import { isReadable } from '../db/driver.js';
import { checkChoice, checkInteger, checkObject, checkOptions } from '../job/check.js';
import { describeValue } from '../job/describe.js';
import { ConfigInvalidError } from '../job/errors.js';
import { isStorable } from '../job/text.js';
import type { Logger } from '../observe/logger.js';
import { stderrLogger, unfailing } from '../observe/logger.js';
import { clientDefaults, defaultMigrate } from './defaults.js';
import type { MigrateMode, RowlockOptions } from './options.js';

/** The options of a client with every default filled in. */
export interface ClientConfig extends Pick<RowlockOptions, 'connectionString' | 'config' | 'pool'> {
  readonly maxConnections: number;
  readonly schema: string;
  readonly migrate: MigrateMode;
  readonly logger: Logger;
  readonly maxArgsBytes: number;
  readonly maxWaitingJobs: number;
}

const known = [
  'connectionString',
  'config',
  'pool',
  'maxConnections',
  'schema',
  'migrate',
  'logger',
  'maxArgsBytes',
  'maxWaitingJobs',
];

/** Throws `ConfigInvalidError` naming the first option that cannot work. */
export function clientConfig(options: RowlockOptions, nodeEnv = process.env['NODE_ENV']): ClientConfig {
  if (typeof options === 'string')
    throw new ConfigInvalidError('options', "must be an object: new Rowlock({ connectionString: '…' })");
  checkOptions(options, '', known);
  const { maxConnections = clientDefaults.maxConnections, schema = clientDefaults.schema } = options;
  const { maxArgsBytes = clientDefaults.maxArgsBytes, maxWaitingJobs = clientDefaults.maxWaitingJobs } =
    options;
  const { migrate = defaultMigrate(nodeEnv), logger = stderrLogger() } = options;
  checkInteger(maxConnections, 'maxConnections', { min: 1, max: 1_000 });
  checkInteger(maxArgsBytes, 'maxArgsBytes', { min: 1, max: 100 * 1_048_576 });
  checkInteger(maxWaitingJobs, 'maxWaitingJobs', { min: 1, max: 100_000_000 });
  checkChoice(migrate, 'migrate', ['check', 'auto', 'off']);
  checkSchemaName(schema);
  checkLogger(logger);
  return {
    ...connectionOf(options),
    ...{ maxConnections, schema, migrate, maxArgsBytes, maxWaitingJobs },
    logger: unfailing(logger),
  };
}

function connectionOf(options: RowlockOptions): Pick<RowlockOptions, 'connectionString' | 'config' | 'pool'> {
  const { connectionString, config, pool } = options;
  if (pool !== undefined) checkPool(pool, options);
  if (connectionString !== undefined) checkConnectionString(connectionString);
  if (config !== undefined) checkObject(config, 'config', 'settings of the driver, like { host }');
  return {
    ...(connectionString === undefined ? {} : { connectionString }),
    ...(config === undefined ? {} : { config }),
    ...(pool === undefined ? {} : { pool }),
  };
}

/** What the driver takes for anything else is a relative URL, of a database that nobody meant. */
const connectionStringStart = /^(?:postgres(?:ql)?:\/\/|socket:|\/)/i;

/** Throws `ConfigInvalidError` without the text, which may hold a password. */
export function checkConnectionString(text: unknown, field = 'connectionString'): asserts text is string {
  if (typeof text !== 'string') {
    const got = describeValue(text);
    throw new ConfigInvalidError(field, `must be a string like 'postgres://host/database' (got ${got})`);
  }
  if (!connectionStringStart.test(text)) {
    throw new ConfigInvalidError(
      field,
      `must begin with postgres:// or postgresql://, or be the path of a socket (got ${startOf(text)})`,
    );
  }
  if (isReadable(text)) return;
  throw new ConfigInvalidError(
    field,
    'is no URL that can be read: write characters like # / ? @ % of its user and password as %23, %2F and so on',
  );
}

/** Never more than its scheme: the rest may hold a password. */
function startOf(text: string): string {
  if (text === '') return 'an empty string';
  const [scheme] = /^[a-z][a-z0-9+.-]{0,20}:\/\//i.exec(text) ?? [];
  return scheme === undefined ? 'text without a scheme' : `${scheme}…`;
}

function checkPool(pool: unknown, options: RowlockOptions): void {
  for (const other of ['connectionString', 'config', 'maxConnections'] as const) {
    if (options[other] === undefined) continue;
    throw new ConfigInvalidError(
      'pool',
      `excludes ${other}: the pool has its own settings; give one of them`,
    );
  }
  if (typeof pool === 'object' && pool !== null && 'connect' in pool && 'totalCount' in pool) return;
  throw new ConfigInvalidError('pool', `must be a Pool of pg (got ${describeValue(pool)})`);
}

const maxSchemaBytes = 63;

function checkSchemaName(schema: unknown): void {
  if (typeof schema !== 'string' || schema === '') {
    throw new ConfigInvalidError('schema', `must be a name like 'rowlock' (got ${describeValue(schema)})`);
  }
  const bytes = Buffer.byteLength(schema);
  if (bytes > maxSchemaBytes) {
    throw new ConfigInvalidError(
      'schema',
      `is ${bytes} bytes long: PostgreSQL keeps at most ${maxSchemaBytes}`,
    );
  }
  if (!isStorable(schema)) {
    throw new ConfigInvalidError('schema', 'holds a NUL character or a lone surrogate: remove it');
  }
  if (/^pg_/i.test(schema))
    throw new ConfigInvalidError('schema', `must not begin with pg_ (got ${describeValue(schema)})`);
}

function checkLogger(logger: unknown): void {
  const missing = ['debug', 'info', 'warn', 'error'].filter(
    (method) => typeof (logger as Record<string, unknown> | null)?.[method] !== 'function',
  );
  if (missing.length === 0) return;
  throw new ConfigInvalidError(
    'logger',
    `lacks the method ${missing.join(', ')}: use { debug, info, warn, error }`,
  );
}
