import type { ClientConfig, Pool } from 'pg';
import { ClientClosedError } from '../job/errors.js';
import { quoteIdentifier } from '../sql/render-schema.js';
import type { Statement } from '../sql/statement.js';
import { databaseDefaults } from './defaults.js';
import type { Connections, Loan } from './connections.js';
import type { Database, Executor, Line, TransactionOptions } from './executor.js';
import { ForeignConnections } from './foreign-connections.js';
import { LoanedLine } from './line.js';
import { OwnConnections } from './own-connections.js';
import { Transaction } from './transaction.js';

export interface DatabaseOptions {
  readonly connectionString?: string | undefined;
  /** Settings of the driver, beside or instead of a connection string. */
  readonly config?: ClientConfig | undefined;
  /** A pool of the caller's: never reconfigured, never closed; each statement then brings its own transaction and settings. */
  readonly pool?: Pool | undefined;
  /** @defaultValue 'rowlock' */
  readonly schema?: string | undefined;
  /** Connections of our own pool. @defaultValue 4 */
  readonly maxConnections?: number | undefined;
  /** Longest wait for a connection, in milliseconds. @defaultValue 5000 */
  readonly connectTimeLimit?: number | undefined;
  /** Longest wait for an answer, in milliseconds; the connection is destroyed on expiry. @defaultValue 10000 */
  readonly callTimeLimit?: number | undefined;
  /** Told when an idle connection is lost. Nothing is to be done: the next call dials again. */
  readonly onConnectionLost?: ((error: Error) => void) | undefined;
}

/** Dials when first used. @throws RangeError for a schema name that PostgreSQL could not hold as it is */
export function openDatabase(options: DatabaseOptions): Database {
  const schema = options.schema ?? databaseDefaults.schema;
  quoteIdentifier(schema);
  const callTimeLimit = options.callTimeLimit ?? databaseDefaults.callTimeLimit;
  return new PooledDatabase(schema, connectionsOf(options, callTimeLimit), callTimeLimit);
}

function connectionsOf(options: DatabaseOptions, callTimeLimit: number): Connections {
  const { pool, config, connectionString } = options;
  const { maxConnections = databaseDefaults.maxConnections } = options;
  const { connectTimeLimit = databaseDefaults.connectTimeLimit } = options;
  const onConnectionLost = options.onConnectionLost ?? (() => undefined);
  const limits = { connectTimeLimit, callTimeLimit, onConnectionLost };
  if (pool !== undefined) return new ForeignConnections(pool, limits);
  const target = connectionString === undefined ? {} : { connectionString };
  return new OwnConnections({ config: { ...config, ...target }, max: maxConnections, ...limits });
}

class PooledDatabase implements Database {
  readonly schema: string;
  readonly #connections: Connections;
  readonly #callTimeLimit: number;
  #closing: Promise<void> | undefined;

  constructor(schema: string, connections: Connections, callTimeLimit: number) {
    this.schema = schema;
    this.#connections = connections;
    this.#callTimeLimit = callTimeLimit;
  }

  async run<Params, Row>(statement: Statement<Params, Row>, params: Params): Promise<Row[]> {
    const line = await this.openLine();
    try {
      return await line.run(statement, params);
    } finally {
      line.close();
    }
  }

  async openLine(): Promise<Line> {
    return new LoanedLine(await this.#borrow(), { schema: this.schema, timeLimit: this.#callTimeLimit });
  }

  async transaction<T>(work: (tx: Executor) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const { schema } = this;
    const { callTimeLimit: timeLimit = this.#callTimeLimit } = options;
    const loan = await this.#borrow();
    try {
      return await new Transaction({ ...loan, schema, timeLimit }).of(work);
    } finally {
      loan.giveBack();
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#connections.close();
    return this.#closing;
  }

  async #borrow(): Promise<Loan> {
    if (this.#closing !== undefined)
      throw new ClientClosedError('The database connection of this client is closed');
    return await this.#connections.borrow();
  }
}
