import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { FileCount } from './count-file.js';

/** What a worker has to show for itself: jobs finished, and jobs it holds. */
export interface Share {
  readonly workerId: string | null;
  readonly done: number;
  readonly held: number;
}

export interface Progress {
  readonly done: number;
  /** Jobs that have not ended yet. */
  readonly live: number;
  readonly shares: readonly Share[];
}

/** A job as the view `jobs` shows it. */
export interface JobRow {
  readonly id: string;
  readonly state: string;
  readonly attempt: number;
  /** How often a worker died while it held the job. */
  readonly crashes: number;
  /** Why it was cancelled or discarded. */
  readonly reason: string | null;
  readonly output: FileCount | null;
}

/** Reads, in a schema of this run's own, the view that shows every job wherever it is. Anyone with psql can do the same. */
export class Ledger implements AsyncDisposable {
  readonly schema = `census_${randomBytes(6).toString('hex')}`;
  readonly #client: pg.Client;

  private constructor(connectionString: string) {
    this.#client = new pg.Client({ connectionString, application_name: 'census' });
    // A lost connection shows in the next query; without a listener it would end the process.
    this.#client.on('error', () => undefined);
  }

  static async open(connectionString: string): Promise<Ledger> {
    const ledger = new Ledger(connectionString);
    await ledger.#client.connect();
    return ledger;
  }

  async progress(): Promise<Progress> {
    const { rows: shares } = await this.#client.query<Share & { live: number }>(`
      select worker_id::text as "workerId",
        (count(*) filter (where finished_at is not null))::float8 as done,
        (count(*) filter (where state = 'running'))::float8 as held,
        (count(*) filter (where finished_at is null))::float8 as live
      from ${this.schema}.jobs
      group by worker_id`);
    return { done: sum(shares, 'done'), live: sum(shares, 'live'), shares };
  }

  async jobs(): Promise<JobRow[]> {
    const { rows } = await this.#client.query<JobRow>(`
      select id::text as id, state, attempt, crashes, reason, output
      from ${this.schema}.jobs`);
    return rows;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.#client.query(`drop schema if exists ${this.schema} cascade`);
    } finally {
      await this.#client.end();
    }
  }
}

function sum<Key extends string>(rows: readonly Record<Key, number>[], key: Key): number {
  return rows.reduce((total, row) => total + row[key], 0);
}
