import type { ClientConfig as PgConfig } from 'pg';
import type { RowlockOptions, WorkerOptions } from './config/options.js';
import type { ClientConfig } from './config/validate-client.js';
import { clientConfig } from './config/validate-client.js';
import type { WorkerConfig } from './config/validate-worker.js';
import { workerConfig } from './config/validate-worker.js';
import type { Database } from './db/executor.js';
import { openDatabase } from './db/database.js';
import type { Need } from './db/errors.js';
import { mayPass, namedDenial } from './db/errors.js';
import { Enqueuer } from './enqueue/enqueuer.js';
import type { Enqueued, EnqueuedMany, EnqueueOptions, TransactionOptions } from './enqueue/options.js';
import { checkTransactionOptions } from './enqueue/options.js';
import { newJob, newJobs } from './enqueue/requests.js';
import { checkOptions } from './job/check.js';
import type { ArgsAndOptions, JobDefinition } from './job/define.js';
import { describeValue } from './job/describe.js';
import { ClientClosedError, ConfigInvalidError } from './job/errors.js';
import type { KindSettings } from './job/kind.js';
import { checkDefinition, isDefinition } from './job/kind.js';
import { checkName } from './job/name.js';
import { jobOptionNames } from './job/placement.js';
import type { JobRequest } from './job/request.js';
import { SchemaReadiness } from './migrate/schema-readiness.js';
import type { MigrationReport } from './migrate/migrate.js';
import { migrate } from './migrate/migrate.js';
import { migrateCommand } from './migrate/plan.js';
import { retryForever } from './runtime/retry.js';
import { systemClock } from './runtime/clock.js';
import { UnderWay } from './runtime/under-way.js';
import { pauseKind, pauseQueue } from './sql/generated/statements.gen.js';
import type { LeaseTiming } from './wake/lease-keeper.js';
import { openLeaseKeeper } from './wake/open-lease-keeper.js';
import { Worker } from './worker/worker.js';

/** Pauses and resumes; every worker sees it within a second. Running handlers are left alone. */
export interface Pausable<Target = string> {
  /** @throws `CONFIG_INVALID`, `CLIENT_CLOSED`, `NOT_ALLOWED` */
  pause(name: Target): Promise<void>;
  /** @throws `CONFIG_INVALID`, `CLIENT_CLOSED`, `NOT_ALLOWED` */
  resume(name: Target): Promise<void>;
}

const callOptionNames = ['tx', 'wake'];
const enqueueOptionNames = [...jobOptionNames, ...callOptionNames];

/**
 * The client: enqueues jobs and makes workers. Opens connections when first used, and no thread, timer or LISTEN of its
 * own, so a process that only enqueues has nothing to keep it alive but the pool.
 */
export class Rowlock implements AsyncDisposable {
  readonly #config: ClientConfig;
  readonly #database: Database;
  readonly #enqueuer: Enqueuer;
  readonly #workers = new Set<Worker>();
  readonly #calls = new UnderWay();
  readonly #schema: SchemaReadiness;
  #closing: Promise<void> | undefined;
  #closed = false;

  /** @throws `CONFIG_INVALID` for the first option that cannot work */
  constructor(options: RowlockOptions = {}) {
    this.#config = clientConfig(options);
    this.#database = openDatabase({
      ...this.#config,
      onConnectionLost: (error) =>
        this.#config.logger.warn('an idle connection was lost', { error: error.message }),
    });
    this.#schema = new SchemaReadiness(this.#database, this.#config.migrate);
    this.#enqueuer = new Enqueuer({
      database: this.#database,
      clock: systemClock,
      maxWaiting: this.#config.maxWaitingJobs,
      schema: this.#schema,
    });
  }

  /**
   * Stores one job, at once or with the caller's transaction `tx`.
   * @throws `ARGS_INVALID`, `PAYLOAD_INVALID` or `CONFIG_INVALID` before the database is touched; `NOT_A_TRANSACTION`;
   * `ENQUEUE_OVERLOADED`; `NOT_ALLOWED`; `CONNECTION` (nothing is stored); `OUTCOME_UNKNOWN` (it may be)
   */
  async enqueue<Args, Parsed, Output>(
    definition: JobDefinition<Args, Parsed, Output>,
    ...[args, options = {}]: ArgsAndOptions<Args, EnqueueOptions>
  ): Promise<Enqueued> {
    const end = this.#beginCall();
    try {
      checkDefinition(definition, 'definition');
      checkOptions(options, '', enqueueOptionNames);
      checkTransactionOptions(options);
      const job = await newJob({ definition, args, options }, this.#config.maxArgsBytes);
      const [id] = await this.#enqueuer.enqueue([job], options);
      if (id === undefined) throw new TypeError('the database answered no id');
      return { id };
    } catch (error) {
      throw namedDenial(error, this.#needTo('enqueue into'));
    } finally {
      end();
    }
  }

  /**
   * Stores jobs of any kinds, all or none; 100,000 and more in one call.
   * @throws what `enqueue` throws; an error about one request begins with `requests[…]`
   */
  async enqueueMany(
    requests: readonly JobRequest[],
    options: TransactionOptions = {},
  ): Promise<EnqueuedMany> {
    const end = this.#beginCall();
    try {
      checkOptions(options, '', callOptionNames);
      checkTransactionOptions(options);
      const jobs = await newJobs(requests, this.#config.maxArgsBytes);
      return { ids: await this.#enqueuer.enqueue(jobs, options) };
    } catch (error) {
      throw namedDenial(error, this.#needTo('enqueue into'));
    } finally {
      end();
    }
  }

  /** @throws `CONFIG_INVALID`, `QUEUE_NOT_SERVED`, `DUPLICATE_HANDLER` */
  worker(options: WorkerOptions): Worker {
    this.#checkNotClosing();
    const config = workerConfig(options);
    const { schema, logger } = this.#config;
    const connection = this.#helperConnection();
    const keeper = openLeaseKeeper({
      ...(connection === undefined ? {} : { connection }),
      executor: this.#database,
      schema,
      timing: timingOf(config),
      clock: systemClock,
      warn: (message) => logger.warn(message),
    });
    const worker: Worker = new Worker({
      config,
      keeper,
      logger,
      database: this.#database,
      clock: systemClock,
      ready: (signal, onError) =>
        retryForever(() => this.#schema.ready(), {
          signal,
          // A schema that is wrong stays so.
          mayPass,
          onError,
        }),
      onStopped: () => this.#workers.delete(worker),
    });
    this.#workers.add(worker);
    return worker;
  }

  /**
   * Brings the schema up to this version and grants a role what a worker needs, in one transaction; any number of
   * processes may do so at once.
   * @throws `MIGRATION_CHANGED`, `SCHEMA_TOO_NEW`, `NOT_ALLOWED`, `ROLE_MISSING`, `CONFIG_INVALID`
   */
  async migrate(
    options: { readonly dryRun?: boolean; readonly grant?: string } = {},
  ): Promise<MigrationReport> {
    this.#checkNotClosing();
    checkOptions(options, '', ['dryRun', 'grant']);
    const end = this.#beginCall();
    try {
      return await migrate(this.#database, options);
    } finally {
      end();
    }
  }

  readonly queues: Pausable = {
    pause: (name) => this.#pauseQueue(name, true),
    resume: (name) => this.#pauseQueue(name, false),
  };

  /** By name or definition. Kinds are known once a worker has defined them. */
  readonly kinds: Pausable<string | KindSettings> = {
    pause: (name) => this.#pauseKind(name, true),
    resume: (name) => this.#pauseKind(name, false),
  };

  /**
   * Stops the workers made here, whose handlers may enqueue until they have ended, answers the calls under way and closes
   * the connections. A pool of yours stays open.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** What the helper thread dials with; undefined when there is only a pool. */
  #helperConnection(): string | PgConfig | undefined {
    const { pool, connectionString, config } = this.#config;
    if (pool !== undefined) return undefined;
    return { ...config, ...(connectionString === undefined ? {} : { connectionString }) };
  }

  async #pauseQueue(name: unknown, paused: boolean): Promise<void> {
    checkName(name, 'name');
    const end = this.#beginCall();
    try {
      await this.#schema.ready();
      await this.#database.run(pauseQueue, { name, paused });
    } catch (error) {
      throw namedDenial(error, this.#needTo('pause or resume in'));
    } finally {
      end();
    }
  }

  async #pauseKind(target: unknown, paused: boolean): Promise<void> {
    const name = isDefinition(target) ? target.kind : target;
    checkName(name, 'name');
    const end = this.#beginCall();
    try {
      await this.#schema.ready();
      const rows = await this.#database.run(pauseKind, { name, paused });
      if (rows.length > 0) return;
      throw new ConfigInvalidError(
        'name',
        `is of no kind that a worker has defined (got ${describeValue(name)}): check the spelling, or start its worker first`,
      );
    } catch (error) {
      throw namedDenial(error, this.#needTo('pause or resume in'));
    } finally {
      end();
    }
  }

  #needTo(act: string): Need {
    const { schema } = this.#config;
    return {
      to: `${act} schema ${JSON.stringify(schema)}`,
      remedy: `As its owner, run \`${migrateCommand(schema)} --grant ROLE\`, or grant what docs/guides/permissions.md lists`,
    };
  }

  /** Of what `close` waits for. @returns ends the call */
  #beginCall(): () => void {
    if (this.#closed) throw closedError();
    return this.#calls.begin();
  }

  #checkNotClosing(): void {
    if (this.#closing !== undefined) throw closedError();
  }

  async #close(): Promise<void> {
    if (this.#workers.size > 0) await Promise.all([...this.#workers].map((worker) => worker.stop()));
    this.#closed = true;
    await this.#calls.none();
    await this.#database.close();
  }
}

function closedError(): ClientClosedError {
  return new ClientClosedError('the client is closed: make another one with new Rowlock()');
}

function timingOf({ leaseMs, renewEveryMs, maxBlockedMs }: WorkerConfig): LeaseTiming {
  return { leaseMs, renewEveryMs, maxBlockedMs };
}
