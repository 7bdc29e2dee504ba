import { Client, Pool, type ClientConfig, type PoolClient } from 'pg';
import { Connection, destroySocket } from './connection.js';
import type { ConnectionLimits, Connections, Loan } from './connections.js';
import { keepAliveDelay } from './driver.js';
import { connectFailed, type DefaultTarget } from './errors.js';
import { setUpOwnSession } from './session.js';
import { withTimeLimit } from './time-limit.js';

/** How long a goodbye may take before the sockets are cut. */
const goodbyeLimit = 1000;

export interface OwnConnectionsOptions extends ConnectionLimits {
  readonly config: ClientConfig;
  readonly max: number;
}

/** A pool of ours: each session is set up once, when it is first borrowed. */
export class OwnConnections implements Connections {
  readonly #limits: ConnectionLimits;
  readonly #named: boolean;
  readonly #pool: Pool;
  readonly #loans = new WeakMap<PoolClient, OwnLoan>();
  readonly #open = new Set<PoolClient>();

  constructor({ config, max, ...limits }: OwnConnectionsOptions) {
    this.#limits = limits;
    this.#named = Object.keys(config).length > 0;
    this.#pool = new Pool({
      ...config,
      query_timeout: undefined,
      max,
      connectionTimeoutMillis: limits.connectTimeLimit,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveDelay,
      fallback_application_name: 'rowlock',
      // A process that only enqueues may exit, or be frozen, with idle connections.
      allowExitOnIdle: true,
    });
    this.#pool.on('error', (error) => limits.onConnectionLost(error));
    this.#pool.on('connect', (client) => this.#track(client));
  }

  async borrow(): Promise<Loan> {
    const client = await this.#connect();
    let loan = this.#loans.get(client);
    if (loan === undefined) {
      loan = await this.#setUp(client);
      this.#loans.set(client, loan);
    }
    return loan;
  }

  async close(): Promise<void> {
    await this.#pool.end();
    const goodbyes = [...this.#open].map(
      (client) => new Promise<void>((resolve) => client.once('end', resolve)),
    );
    try {
      await withTimeLimit(Promise.all(goodbyes), {
        ms: goodbyeLimit,
        expired: () => new Error('no goodbye'),
      });
    } catch {
      for (const client of this.#open) destroySocket(client);
    }
  }

  async #connect(): Promise<PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw connectFailed(error, this.#defaultTarget());
    }
  }

  async #setUp(client: PoolClient): Promise<OwnLoan> {
    const connection = new Connection(client, { ours: true });
    try {
      return new OwnLoan(connection, await setUpOwnSession(connection, this.#limits.connectTimeLimit));
    } catch (error) {
      connection.destroy();
      client.release(true);
      throw connectFailed(error, this.#defaultTarget());
    }
  }

  /** As the driver reads the environment; undefined where the caller has named a database. */
  #defaultTarget(): DefaultTarget | undefined {
    return this.#named ? undefined : new Client();
  }

  #track(client: PoolClient): void {
    // The pool listens only while a client is idle; a borrowed one that dies would end the process.
    client.on('error', () => undefined);
    this.#open.add(client);
    client.once('end', () => this.#open.delete(client));
  }
}

class OwnLoan implements Loan {
  readonly connection: Connection;
  readonly sessionIsSetUp: boolean;

  constructor(connection: Connection, sessionIsSetUp: boolean) {
    this.connection = connection;
    this.sessionIsSetUp = sessionIsSetUp;
  }

  giveBack(): void {
    this.connection.client.release(this.connection.broken);
  }
}
