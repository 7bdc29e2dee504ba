import type { Major } from './binaries.js';

export type StopMode = 'fast' | 'immediate' | 'smart';

export interface ServerOptions {
  /** The major version to run. @defaultValue that of `dataDir`, else that of the npm package (18) */
  readonly major?: Major | undefined;
  /** A folder to keep the data in. @defaultValue a temporary one, removed on stop */
  readonly dataDir?: string | undefined;
  /** @defaultValue a free one */
  readonly port?: number | undefined;
  /** Server settings over the defaults, as in postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
  /** Start a server even if DATABASE_URL is set. @defaultValue false */
  readonly ignoreDatabaseUrl?: boolean | undefined;
  /** The folder that holds `postgres` and `initdb`. @defaultValue ROWLOCK_PG_BINARIES, else looked up */
  readonly binDir?: string | undefined;
}

export interface EmbeddedServer extends AsyncDisposable {
  /** A superuser's URL of the database `postgres`; with DATABASE_URL, that URL as it is. */
  readonly url: string;
  /** Such as `18.4`. */
  readonly version: string;
  readonly port: number;
  /** Empty when the server is not ours. */
  readonly dataDir: string;
  readonly source: 'DATABASE_URL' | 'package' | 'local';
  /** Null while the server is down, or is not ours. */
  readonly postmasterPid: number | null;
  urlFor(database: string): string;
  /** Ends the server; a temporary data folder is removed. @param mode default: immediate if temporary, fast if kept */
  stop(mode?: StopMode): Promise<void>;
  /** Same port, same data. @param mode default: fast */
  restart(mode?: 'fast' | 'immediate'): Promise<void>;
}
