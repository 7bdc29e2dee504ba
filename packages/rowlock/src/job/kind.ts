import type { Backoff } from './backoff.js';
import { describeValue } from './describe.js';
import { ConfigInvalidError } from './errors.js';
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

/** By its looks: another copy of the package may have made it. */
export function isDefinition(value: unknown): value is KindSettings {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, queue, policy } = value as { readonly [Name in keyof KindSettings]?: unknown };
  return (
    typeof kind === 'string' && typeof queue === 'string' && typeof policy === 'object' && policy !== null
  );
}

/** Refuses what `defineJob` has not made. */
export function checkDefinition(value: unknown, field: string): asserts value is KindSettings {
  if (isDefinition(value)) return;
  throw new ConfigInvalidError(field, `must be made by defineJob (got ${describeValue(value)})`);
}
