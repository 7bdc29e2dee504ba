import type { ClientConfig, Pool } from 'pg';
import type { Database } from './executor.js';

export type { Database, Executor, TransactionOptions } from './executor.js';

export interface DatabaseOptions {
  readonly connectionString?: string;
  /** Settings of the driver, beside or instead of a connection string. */
  readonly config?: ClientConfig;
  /** A pool of the caller's: never reconfigured, never closed; each statement then brings its own transaction and settings. */
  readonly pool?: Pool;
  /** @defaultValue 'rowlock' */
  readonly schema?: string;
  /** Connections of our own pool. @defaultValue 4 */
  readonly maxConnections?: number;
  /** Longest wait for a connection, in milliseconds. @defaultValue 5000 */
  readonly connectTimeLimit?: number;
  /** Longest wait for an answer, in milliseconds; the connection is destroyed on expiry. @defaultValue 10000 */
  readonly callTimeLimit?: number;
  /** Told when an idle connection is lost. Nothing is to be done: the next call dials again. */
  readonly onConnectionLost?: (error: Error) => void;
}

export function openDatabase(options: DatabaseOptions): Database {
  throw new Error(`not built yet: ${options.schema ?? 'rowlock'}`);
}
