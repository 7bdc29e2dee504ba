import type { Duration } from './duration.js';
import type { Instant } from './instant.js';
import type { KindSettings } from './kind.js';

/** What one enqueued job may have of its own, instead of its kind's. */
export interface JobOptions {
  /** Not before this instant. Excludes `delay`. @defaultValue now, by the database's clock */
  readonly runAt?: Instant | undefined;
  /** Not before this long from now, by the database's clock. Excludes `runAt`. @defaultValue 0 */
  readonly delay?: Duration | undefined;
  /** 0 to 9, the lower one first. @defaultValue the kind's, or 5 */
  readonly priority?: number | undefined;
  /** @defaultValue the kind's, or 'default' */
  readonly queue?: string | undefined;
  /** @defaultValue the kind's, or 10 */
  readonly maxAttempts?: number | undefined;
  /** Longest run of one attempt. @defaultValue the kind's, or '15m' */
  readonly timeout?: Duration | undefined;
}

/** A job to enqueue; made by `definition.with`. */
export interface JobRequest {
  readonly definition: KindSettings;
  readonly args: unknown;
  readonly options: JobOptions;
}
