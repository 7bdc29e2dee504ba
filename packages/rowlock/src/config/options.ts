import type { ClientConfig, Pool } from 'pg';
import type { Duration } from '../job/duration.js';
import type { Handler } from '../job/handler.js';
import type { Logger } from '../observe/logger.js';

/** What the client does about the schema when it first uses the database. */
export type MigrateMode = 'check' | 'auto' | 'off';

export interface RowlockOptions {
  /** @defaultValue absent: the driver reads `PGHOST`, `PGUSER` and their like */
  readonly connectionString?: string | undefined;
  /** Settings of the driver, beside or instead of `connectionString`. @defaultValue absent */
  readonly config?: ClientConfig | undefined;
  /** A pool of yours: it is neither reconfigured nor closed. Excludes the two above. @defaultValue absent: an own pool */
  readonly pool?: Pool | undefined;
  /** Connections of the own pool, 1 to 1000. @defaultValue 4 */
  readonly maxConnections?: number | undefined;
  /** The PostgreSQL schema that holds the tables. @defaultValue 'rowlock' */
  readonly schema?: string | undefined;
  /** 'check' refuses a schema that is missing or too old, 'auto' migrates it, 'off' looks at nothing. @defaultValue 'check' where NODE_ENV is 'production', else 'auto' */
  readonly migrate?: MigrateMode | undefined;
  /** @defaultValue JSON lines to stderr from 'warn' up */
  readonly logger?: Logger | undefined;
  /** Largest args of one job as JSON, in bytes. @defaultValue 1048576 */
  readonly maxArgsBytes?: number | undefined;
  /** Most jobs that may wait in this process to be enqueued before calls are refused. @defaultValue 100000 */
  readonly maxWaitingJobs?: number | undefined;
}

export interface QueueOptions {
  /** Handlers of this queue that run at once in this process, 1 to 100000. @defaultValue 10 */
  readonly concurrency?: number | undefined;
}

/** How a worker learns of new jobs: 'doorbell' LISTENs and polls, 'poll' only polls. */
export type WakeMode = 'doorbell' | 'poll';

export interface PollOptions {
  /** @defaultValue 'doorbell' */
  readonly mode?: WakeMode | undefined;
  /** Wait after a claim that found nothing; doubled up to `max` while nothing comes. @defaultValue '20ms' */
  readonly min?: Duration | undefined;
  /** Longest wait between claims in mode 'poll'. @defaultValue '1s' */
  readonly max?: Duration | undefined;
  /** Time between passes that look for jobs committed late. @defaultValue '250ms' */
  readonly floorEvery?: Duration | undefined;
}

export interface WorkerOptions {
  /** Made by `definition.handle(fn)`; one per kind. */
  readonly handlers: readonly Handler[];
  /** Queues to serve. @defaultValue those of the handlers, each with concurrency 10 */
  readonly queues?: Readonly<Record<string, QueueOptions>> | undefined;
  /** How long the jobs of a process that died stay its own, '1s' to '1h'. @defaultValue '15s' */
  readonly lease?: Duration | undefined;
  /** Time between renewals, at most a third of `lease`. @defaultValue a third of `lease`: '5s' */
  readonly renewEvery?: Duration | undefined;
  /** How long `stop` lets running handlers finish before it aborts them. @defaultValue '25s' */
  readonly stopGrace?: Duration | undefined;
  /** How long a handler may block the event loop before the process gives up its jobs. @defaultValue '2m' */
  readonly maxBlocked?: Duration | undefined;
  /** @defaultValue { mode: 'doorbell', min: '20ms', max: '1s', floorEvery: '250ms' } */
  readonly poll?: PollOptions | undefined;
  /** Most jobs claimed in one statement, 1 to 10000. @defaultValue 4000 */
  readonly prefetch?: number | undefined;
}
