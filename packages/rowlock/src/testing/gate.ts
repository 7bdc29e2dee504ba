import pg from 'pg';

const key = 4711;

/** Name of the session that keeps it closed. */
export const gatekeeper = 'gatekeeper';

/** Waits for as long as the gate of this database is closed, whatever the lock timeout of the session. */
export const atTheGate = `select pg_catalog.pg_advisory_xact_lock_shared(${String(key)}) from pg_catalog.set_config('lock_timeout', '0', true)`;

/** Finds those who wait at it, by the text of their query. */
export const isAtTheGate = `datname = current_database() and wait_event = 'advisory' and query like '%pg_advisory_xact_lock_shared(${String(key)})%'`;

/** Holds up whoever runs `atTheGate`, so that a test decides how long a statement takes, and no clock. */
export class Gate {
  readonly #client: pg.Client;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  /** @param url of the database itself, not by way of a pooler */
  static async close(url: string): Promise<Gate> {
    const client = new pg.Client({ connectionString: url, application_name: gatekeeper });
    await client.connect();
    await client.query('select pg_catalog.pg_advisory_lock($1)', [key]);
    return new Gate(client);
  }

  async open(): Promise<void> {
    await this.#client.end();
  }
}
