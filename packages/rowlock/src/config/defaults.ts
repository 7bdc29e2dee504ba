import { databaseDefaults } from '../db/defaults.js';
import type { PollOptions, QueueOptions, RowlockOptions, WorkerOptions } from './options.js';

/** The default of every option that has a fixed one; durations in the words of the documentation. */
export const clientDefaults = {
  maxConnections: databaseDefaults.maxConnections,
  schema: databaseDefaults.schema,
  maxArgsBytes: 1_048_576,
  maxWaitingJobs: 100_000,
} as const satisfies Partial<RowlockOptions>;

export const workerDefaults = {
  lease: '15s',
  stopGrace: '25s',
  maxBlocked: '2m',
  prefetch: 4_000,
} as const satisfies Partial<WorkerOptions>;

export const pollDefaults = {
  mode: 'doorbell',
  min: '20ms',
  max: '1s',
  floorEvery: '250ms',
} as const satisfies PollOptions;

export const queueDefaults = { concurrency: 10 } as const satisfies QueueOptions;

/** A lease survives two renewals that are lost or late. */
export const renewalsPerLease = 3;

/** Migrating by itself is for machines where nobody else uses the database. */
export function defaultMigrate(nodeEnv: string | undefined): 'check' | 'auto' {
  return nodeEnv === 'production' ? 'check' : 'auto';
}
