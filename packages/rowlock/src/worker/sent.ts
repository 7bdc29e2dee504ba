import type { Ask, Named } from './ask.js';
import type { Done } from './done.js';
import type { Slots } from './slots.js';

/** A statement to send. */
export interface ToSend {
  /** Queues to claim for; none: it only settles. */
  readonly hungry: readonly Slots[];
  /** How many to settle, at most. */
  readonly settles: number;
  /** The one job to claim. */
  readonly named?: Named;
}

/** A statement under way: what it settles, and what it asks for. */
export interface Sent {
  readonly done: readonly Done[];
  readonly asks: readonly Ask[];
  readonly named: Named | undefined;
  /** Null: it claims nothing. */
  readonly workerId: string | null;
  readonly sentAt: number;
}
