import type { MigrateMode } from '../config/options.js';
import type { Database, Executor } from '../db/executor.js';
import { hasCode } from '../job/errors.js';
import { checkSchema } from './check-schema.js';
import { migrate } from './migrate.js';

/** What a client does about the schema before its first use, until it has succeeded once. */
export class SchemaReadiness {
  readonly #database: Database;
  readonly #mode: MigrateMode;
  #working: Promise<void> | undefined;
  #isReady = false;

  constructor(database: Database, mode: MigrateMode) {
    this.#database = database;
    this.#mode = mode;
  }

  /** Resolves once the schema is there to work with. */
  ready(): Promise<void> {
    this.#working ??= this.#make().catch((error: unknown) => {
      this.#working = undefined;
      throw error;
    });
    return this.#working;
  }

  /** The same, looked up in a caller's transaction: another connection may be one that such transactions wait for. */
  async readyIn(tx: Executor): Promise<void> {
    if (this.#isReady || this.#mode === 'off') return;
    try {
      await checkSchema({
        schema: this.#database.schema,
        run: (statement, params) => tx.run(statement, params),
      });
      this.#isReady = true;
    } catch (error) {
      const isPending = hasCode(error, 'SCHEMA_MISSING') || hasCode(error, 'SCHEMA_OUTDATED');
      if (this.#mode !== 'auto' || !isPending) throw error;
      await this.ready();
    }
  }

  async #make(): Promise<void> {
    if (this.#mode === 'auto') await migrate(this.#database);
    else if (this.#mode === 'check') await checkSchema(this.#database);
    this.#isReady = true;
  }
}
