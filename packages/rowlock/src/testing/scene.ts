import pg from 'pg';
import type { RowlockOptions, WorkerOptions } from '../config/options.js';
import type { LogFields, LogLevel, Logger } from '../observe/logger.js';
import { Rowlock } from '../rowlock.js';
import type { WorkerEvents } from '../worker/events.js';
import { workerEventNames } from '../worker/events.js';
import type { Worker } from '../worker/worker.js';
import { createTestDatabase, type TestDatabase, type TestDatabaseOptions } from './database.js';
import { until } from './until.js';

/** A job as people see it, in `rowlock.jobs`. */
export interface JobRow {
  readonly id: string;
  readonly state: string;
  readonly attempt: number;
  readonly claim_no: number;
  readonly crashes: number;
  readonly parked: boolean;
  readonly reason: string | null;
  readonly args: unknown;
  readonly output: unknown;
  readonly errors: readonly StoredError[] | null;
  readonly created_at: Date;
  readonly run_at: Date;
  readonly claimed_at: Date | null;
  readonly finished_at: Date | null;
}

export interface StoredError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  readonly code?: string;
  readonly attempt: number;
  readonly claimNo: number;
  readonly at: string;
}

/** Everything a worker tells, in order. */
export type Diary = { readonly [Name in keyof WorkerEvents]: WorkerEvents[Name][] };

/** A started worker and what it has told since. */
export interface Shift {
  readonly worker: Worker;
  readonly diary: Diary;
  readonly rowlock: Rowlock;
}

interface Line {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

/** One database, clients of it, and their log. Closing it closes them all and fails if anything is left open. */
export class Scene {
  readonly sql: pg.Pool;
  readonly log: Line[] = [];
  readonly #database: TestDatabase;
  readonly #clients: Rowlock[] = [];

  private constructor(database: TestDatabase) {
    this.#database = database;
    this.sql = new pg.Pool({ connectionString: database.url, max: 1 });
  }

  static async open(options?: TestDatabaseOptions): Promise<Scene> {
    return new Scene(await createTestDatabase(options));
  }

  get url(): string {
    return this.#database.url;
  }

  get name(): string {
    return this.#database.name;
  }

  client(options: RowlockOptions = {}): Rowlock {
    const where = options.pool === undefined ? { connectionString: this.url } : {};
    const client = new Rowlock({ ...where, logger: this.#logger(), ...options });
    this.#clients.push(client);
    return client;
  }

  /** A worker at work while `during` runs, stopped after it whatever happens. Running handlers are aborted at once. */
  async working(
    options: WorkerOptions,
    during: (shift: Shift) => Promise<void>,
    rowlock = this.client(),
  ): Promise<void> {
    const worker = rowlock.worker({ stopGrace: 0, ...options });
    const diary = diaryOf(worker);
    await worker.start();
    try {
      await during({ worker, diary, rowlock });
    } finally {
      await worker.stop();
    }
  }

  async rows<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    const { rows } = await this.sql.query<Row>(text, values);
    return rows;
  }

  async job(id: string): Promise<JobRow> {
    const [row] = await this.rows<JobRow>('select * from rowlock.jobs where id = $1', [id]);
    if (row === undefined) throw new Error(`there is no job ${id}`);
    return row;
  }

  /** The job once it is in this state. */
  async untilState(id: string, state: string, timeoutMs?: number): Promise<JobRow> {
    const limit = timeoutMs === undefined ? {} : { timeoutMs };
    const what = `job ${id} is ${state}`;
    return until(() => this.job(id).then((job) => (job.state === state ? job : undefined)), {
      what,
      ...limit,
    });
  }

  /** Forgets every job, worker, kind and pause. */
  async clear(): Promise<void> {
    await this.sql.query(
      'truncate rowlock.job, rowlock.finished, rowlock.discarded, rowlock.kind, rowlock.queue, rowlock.worker',
    );
    await this.sql.query('update rowlock.duty set next_at = clock_timestamp(), position = 0');
    this.log.length = 0;
  }

  messages(level: LogLevel): string[] {
    return this.log.filter((line) => line.level === level).map(({ message }) => message);
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
    await this.sql.end();
    await this.#database.drop();
  }

  #logger(): Logger {
    const at =
      (level: LogLevel) =>
      (message: string, fields: LogFields = {}) =>
        void this.log.push({ level, message, fields });
    return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  }
}

/** Listens to a worker from now on. */
export function diaryOf(worker: Worker): Diary {
  const diary = Object.fromEntries(workerEventNames.map((name) => [name, []])) as unknown as Diary;
  const note = <Name extends keyof WorkerEvents>(name: Name): void => {
    worker.on(name, (event) => void diary[name].push(event));
  };
  workerEventNames.forEach(note);
  return diary;
}
