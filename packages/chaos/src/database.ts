import pg from 'pg';

/** Connections of the harness itself. They dial again after a fault, and no nemesis aims at them. */
export class HarnessDatabase {
  readonly pool: pg.Pool;

  constructor(connectionString: string, max = 3) {
    this.pool = new pg.Pool({
      connectionString,
      max,
      application_name: 'chaos',
      connectionTimeoutMillis: 5000,
    });
    this.pool.on('error', () => undefined);
    // A client that is lent out and dies tells its borrower by rejecting the query; the event would end the process.
    this.pool.on('connect', (client) => client.on('error', () => undefined));
  }

  async rows<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.pool.query<Row>(text, values)).rows;
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}

/** Runs `work` in a database of its own, which is dropped afterwards. */
export async function withFreshDatabase<T>(
  server: { readonly url: string; urlFor(name: string): string },
  name: string,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const admin = new HarnessDatabase(server.url, 1);
  try {
    await admin.rows(`create database ${name} template template0`);
    try {
      return await work(server.urlFor(name));
    } finally {
      await admin.rows(`drop database if exists ${name} with (force)`);
    }
  } finally {
    await admin.close();
  }
}
