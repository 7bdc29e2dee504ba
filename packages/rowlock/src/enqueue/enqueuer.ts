import { callerTransaction } from '../db/caller-transaction.js';
import type { Database, Executor } from '../db/executor.js';
import { enqueueJobs, liftTransactionTimeout } from '../sql/generated/statements.gen.js';
import type { NewJob } from './batch.js';
import { charactersOf, idsOf, maxCharacters, maxRows, paramsOf } from './batch.js';
import type { TransactionOptions } from './options.js';
import type { SharedStatementsOptions } from './shared-statements.js';
import { SharedStatements } from './shared-statements.js';

export interface EnqueuerOptions extends SharedStatementsOptions {
  readonly database: Database;
  /** Resolves once the schema is there to work with. */
  readonly schema: { ready(): Promise<void>; readyIn(tx: Executor): Promise<void> };
}

/** Stores jobs, in the caller's transaction or in statements of our own, which concurrent calls share. */
export class Enqueuer {
  readonly #options: EnqueuerOptions;
  readonly #statements: SharedStatements;

  constructor(options: EnqueuerOptions) {
    this.#options = options;
    this.#statements = new SharedStatements(options);
  }

  /** All of the jobs are stored or none. Resolves with their ids, in order. */
  async enqueue(jobs: readonly NewJob[], { tx, wake = true }: TransactionOptions): Promise<string[]> {
    if (jobs.length === 0) return [];
    const { database, schema } = this.#options;
    if (tx !== undefined) {
      const executor = callerTransaction(tx, database.schema);
      await schema.readyIn(executor);
      return storeParts(executor, jobs, wake);
    }
    await schema.ready();
    // More than one statement should hold: several in one transaction, beside the calls that share statements.
    if (!fits(jobs)) {
      return database.transaction(async (own) => {
        await own.run(liftTransactionTimeout, {});
        return storeParts(own, jobs, wake);
      });
    }
    return this.#statements.store(jobs, wake);
  }
}

async function storeParts(executor: Executor, jobs: readonly NewJob[], wake: boolean): Promise<string[]> {
  const ids: string[] = [];
  for (const part of partsOf(jobs)) {
    ids.push(...idsOf(await executor.run(enqueueJobs, paramsOf(part, wake))));
  }
  return ids;
}

function fits(jobs: readonly NewJob[]): boolean {
  return jobs.length <= maxRows && charactersOf(jobs) <= maxCharacters;
}

/** Cuts where a statement would hold too many rows or characters. */
function partsOf(jobs: readonly NewJob[]): NewJob[][] {
  const parts: NewJob[][] = [];
  let part: NewJob[] = [];
  let characters = 0;
  for (const job of jobs) {
    if (part.length > 0 && (part.length === maxRows || characters + job.args.length > maxCharacters)) {
      parts.push(part);
      part = [];
      characters = 0;
    }
    part.push(job);
    characters += job.args.length;
  }
  if (part.length > 0) parts.push(part);
  return parts;
}
