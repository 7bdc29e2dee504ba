import type { ClientConfig } from 'pg';
import type { Executor } from '../db/executor.js';
import { systemClock, type Clock } from '../runtime/clock.js';
import { splitSettings } from './helper-settings.js';
import type { LeaseKeeper, LeaseTiming } from './lease-keeper.js';
import { LoopKeeper } from './loop-keeper.js';
import { ThreadKeeper } from './thread-keeper.js';

export interface LeaseKeeperOptions {
  /** How to dial; absent when there is only a pool of the caller's. */
  readonly connection?: string | ClientConfig;
  /** Renews the lease where no helper thread can. */
  readonly executor: Executor;
  readonly schema: string;
  readonly timing: LeaseTiming;
  /** @defaultValue the system's clock */
  readonly clock?: Clock;
  /** Told once, when the lease has to be renewed from the main event loop. */
  readonly warn: (message: string) => void;
}

/** The keeper that this process can have: a helper thread if possible, else the main event loop. */
export function openLeaseKeeper(options: LeaseKeeperOptions): LeaseKeeper {
  const { executor, schema, timing, clock = systemClock } = options;
  if (options.connection === undefined) return inLoop('only a pool was given');
  const connection = splitSettings(options.connection);
  if (connection === null) return inLoop('the connection settings cannot be handed to a thread');
  if (!threadsAllowed()) return inLoop('this process may not start threads');
  return new ThreadKeeper({ connection, schema, timing, clock });

  function inLoop(reason: string): LeaseKeeper {
    options.warn(
      `Leases are renewed from the main event loop and new jobs are found by polling, because ${reason}. ` +
        'A handler that blocks the loop for a whole lease loses its jobs; pass a connection string to avoid this.',
    );
    return new LoopKeeper({ executor, timing, clock });
  }
}

/** Under `--permission` a process needs `--allow-worker`. */
function threadsAllowed(): boolean {
  const { permission } = process as { permission?: { has(scope: string): boolean } };
  return permission?.has('worker') ?? true;
}
