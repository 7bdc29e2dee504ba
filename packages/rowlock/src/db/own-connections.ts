import { Client, Pool, type ClientConfig, type PoolClient } from 'pg';
import { Connection, destroySocket, keepsProcess } from './connection.js';
import type { ConnectionLimits, Connections, Loan } from './connections.js';
import { keepAliveDelay } from './driver.js';
import { connectFailed, type Target } from './errors.js';
import { setUpOwnSession } from './session.js';
import { withTimeLimit } from './time-limit.js';

/** How long a goodbye may take before the sockets are cut. */
const goodbyeLimit = 1000;
/** How long a connection may be at hand unused before the pool has it back, which ends it in time. */
const atHandMs = 1000;

export interface OwnConnectionsOptions extends ConnectionLimits {
  readonly config: ClientConfig;
  readonly max: number;
}

/**
 * A pool of ours: each session is set up once, when it is first borrowed. The one given back last stays at hand unless
 * somebody waits, for a pool takes many times as long to hand one out.
 */
export class OwnConnections implements Connections {
  readonly #limits: ConnectionLimits;
  readonly #config: ClientConfig;
  readonly #pool: Pool;
  readonly #loans = new WeakMap<PoolClient, Loan>();
  readonly #open = new Set<PoolClient>();
  #atHand: PoolClient | undefined;
  #takeBack: NodeJS.Timeout | undefined;
  #closing = false;

  constructor({ config, max, ...limits }: OwnConnectionsOptions) {
    this.#limits = limits;
    this.#config = config;
    this.#pool = new Pool({
      ...config,
      query_timeout: undefined,
      max,
      connectionTimeoutMillis: limits.connectTimeLimit,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveDelay,
      // What is sent before an answer has come waits at the server, not here.
      pipeline: true,
      fallback_application_name: 'rowlock',
      // A process that only enqueues may exit, or be frozen, with idle connections.
      allowExitOnIdle: true,
    });
    this.#pool.on('error', (error) => limits.onConnectionLost(error));
    this.#pool.on('connect', (client) => this.#track(client));
  }

  async borrow(): Promise<Loan> {
    const client = this.#takeAtHand() ?? (await this.#connect());
    let loan = this.#loans.get(client);
    if (loan === undefined) {
      loan = await this.#setUp(client);
      this.#loans.set(client, loan);
    }
    return loan;
  }

  async close(): Promise<void> {
    this.#closing = true;
    this.#takeAtHand()?.release();
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
      throw connectFailed(error, this.#target());
    }
  }

  async #setUp(client: PoolClient): Promise<Loan> {
    const connection = new Connection(client, { ours: true });
    try {
      const sessionIsSetUp = await setUpOwnSession(connection, this.#limits.connectTimeLimit);
      return { connection, sessionIsSetUp, giveBack: () => this.#giveBack(connection) };
    } catch (error) {
      connection.destroy();
      client.release(true);
      throw connectFailed(error, this.#target());
    }
  }

  /** As the driver reads its settings and the environment; undefined where it cannot (a certificate is missing, say). */
  #target(): Target | undefined {
    try {
      const { host, port, database, user } = new Client(this.#config);
      return { host, port, database, user, named: Object.keys(this.#config).length > 0 };
    } catch {
      return undefined;
    }
  }

  #takeAtHand(): PoolClient | undefined {
    const client = this.#atHand;
    if (client === undefined) return undefined;
    this.#atHand = undefined;
    keepsProcess(client, true);
    return client;
  }

  #giveBack({ client, broken }: Connection): void {
    const mustGoBack = this.#closing || this.#atHand !== undefined || this.#pool.waitingCount > 0;
    if (broken || mustGoBack || !this.#open.has(client)) return client.release(broken);
    this.#atHand = client;
    keepsProcess(client, false);
    this.#takeBack ??= setTimeout(() => this.#takeAtHand()?.release(), atHandMs).unref();
    this.#takeBack.refresh();
  }

  #track(client: PoolClient): void {
    // The pool listens only while a client is idle; a borrowed one that dies would end the process.
    client.on('error', (error) => {
      if (client !== this.#atHand) return;
      this.#takeAtHand()?.release(true);
      this.#limits.onConnectionLost(error);
    });
    this.#open.add(client);
    client.once('end', () => this.#open.delete(client));
  }
}
