import type { Pool, PoolClient } from 'pg';
import { deferred } from '../runtime/deferred.js';
import { Connection } from './connection.js';
import type { ConnectionLimits, Connections, Loan } from './connections.js';
import { connectFailed, timeLimitPassed } from './errors.js';
import { withTimeLimit } from './time-limit.js';

/** A caller's pool: its sessions are the caller's too, so nothing may be set on them for longer than a transaction. */
export class ForeignConnections implements Connections {
  readonly #pool: Pool;
  readonly #limits: ConnectionLimits;
  readonly #onError: (error: Error) => void;
  readonly #loans = new Set<Promise<void>>();

  constructor(pool: Pool, limits: ConnectionLimits) {
    this.#pool = pool;
    this.#limits = limits;
    // A pool without a listener ends the process when an idle connection is lost.
    this.#onError = (error) => limits.onConnectionLost(error);
    this.#pool.on('error', this.#onError);
  }

  async borrow(): Promise<Loan> {
    const client = await this.#connect();
    const returned = deferred();
    this.#loans.add(returned.promise);
    client.on('error', ignore);
    const connection = new Connection(client, { ours: false });
    return {
      connection,
      sessionIsSetUp: false,
      giveBack: () => {
        client.off('error', ignore);
        client.release(connection.broken);
        this.#loans.delete(returned.promise);
        returned.resolve();
      },
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.#loans);
    this.#pool.off('error', this.#onError);
  }

  async #connect(): Promise<PoolClient> {
    const { connectTimeLimit } = this.#limits;
    const connecting = this.#pool.connect();
    let late = false;
    try {
      return await withTimeLimit(connecting, {
        ms: connectTimeLimit,
        expired: () => {
          late = true;
          return timeLimitPassed(connectTimeLimit);
        },
      });
    } catch (error) {
      if (late) connecting.then((client) => client.release(), ignore);
      throw connectFailed(error);
    }
  }
}

function ignore(): void {
  return undefined;
}
