import type { Backoff } from './backoff.js';
import type { Policy } from './policy.js';
import type { StandardSchemaV1 } from './standard-schema.js';

/** How long the history of a finished job is kept: not at all, 1 day, or 7 days. */
export type Keep = 'none' | 'short' | 'long';

/** A kind with every default filled in, its types forgotten: what the engine works with. */
export interface KindSettings {
  readonly kind: string;
  readonly queue: string;
  readonly priority: number;
  readonly policy: Policy;
  readonly backoff: Backoff;
  readonly keep: Keep;
  readonly keepArgs: boolean;
  /** Absent: the kind takes no args, and `{}` is stored. */
  readonly schema: StandardSchemaV1 | undefined;
}
