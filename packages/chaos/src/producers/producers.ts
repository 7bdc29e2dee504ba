import pg from 'pg';
import { Rowlock, silentLogger } from 'rowlock';
import { Random } from '../random.js';
import { produceDirectly } from './direct-producer.js';
import { Tokens } from './tokens.js';
import { produceInTransactions } from './transaction-producer.js';

export interface ProducersOptions {
  readonly url: string;
  readonly seed: number;
}

const meanPauseMs = 70;
const transactionProducers = 2;

/** Everybody that enqueues in a round. */
export class Producers {
  readonly tokens: Tokens;
  readonly #rowlock: Rowlock;
  readonly #pool: pg.Pool;
  readonly #ending = new AbortController();
  readonly #producing: Promise<void>;

  constructor({ url, seed }: ProducersOptions) {
    this.tokens = new Tokens(Random.for(seed, 'tokens'));
    this.#rowlock = new Rowlock({ connectionString: url, migrate: 'check', logger: silentLogger });
    this.#pool = new pg.Pool({
      connectionString: url,
      max: transactionProducers,
      application_name: 'rowlock chaos producer',
    });
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
    const parts = { rowlock: this.#rowlock, tokens: this.tokens, pauseMs: meanPauseMs };
    const { signal } = this.#ending;
    const inTransactions = Array.from({ length: transactionProducers }, (_, n) =>
      produceInTransactions(
        { ...parts, pool: this.#pool, random: Random.for(seed, `transactions ${n}`) },
        signal,
      ),
    );
    this.#producing = Promise.all([
      produceDirectly({ ...parts, random: Random.for(seed, 'direct') }, signal),
      ...inTransactions,
    ]).then(() => undefined);
    // Whoever stops them is told.
    this.#producing.catch(() => undefined);
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    try {
      await this.#producing;
    } finally {
      await this.#rowlock.close();
      await this.#pool.end();
    }
  }
}
