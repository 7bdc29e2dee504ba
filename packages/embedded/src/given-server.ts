import { EmbeddedError } from './errors.js';
import type { EmbeddedServer } from './options.js';

/** The server that DATABASE_URL names: used, never started, stopped or removed. */
export class GivenServer implements EmbeddedServer {
  readonly url: string;
  readonly version: string;
  readonly dataDir = '';
  readonly source = 'DATABASE_URL';
  readonly postmasterPid = null;

  private constructor(url: string, version: string) {
    this.url = url;
    this.version = version;
  }

  static async connect(url: string, major: number | undefined): Promise<GivenServer> {
    const version = await askVersion(url).catch((error: unknown) => {
      const reason =
        error instanceof Error
          ? error.message || String((error as NodeJS.ErrnoException).code)
          : String(error);
      throw new EmbeddedError(
        'EMBEDDED_DATABASE_URL',
        `DATABASE_URL is set, but no server answers there: ${reason}. Correct it, or unset it to start an embedded server.`,
        { cause: error },
      );
    });
    if (major !== undefined && Number.parseInt(version) !== major) {
      throw new EmbeddedError(
        'EMBEDDED_WRONG_MAJOR',
        `DATABASE_URL names PostgreSQL ${version}, but ${major} was asked for. Unset it, or name a server of that version.`,
      );
    }
    return new GivenServer(url, version);
  }

  get port(): number {
    return Number(new URL(this.url).port || 5432);
  }

  urlFor(database: string): string {
    const url = new URL(this.url);
    url.pathname = `/${encodeURIComponent(database)}`;
    return url.href;
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }

  restart(): Promise<void> {
    return Promise.reject(
      new EmbeddedError('EMBEDDED_NOT_OURS', 'The server named by DATABASE_URL is not ours to restart.'),
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

async function askVersion(url: string): Promise<string> {
  // Loaded here alone: a server of our own needs no driver.
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  try {
    await client.connect();
    const { rows } = await client.query<{ server_version: string }>('show server_version');
    return /^\S+/.exec(rows[0]?.server_version ?? '')?.[0] ?? '';
  } finally {
    await client.end().catch(() => undefined);
  }
}
