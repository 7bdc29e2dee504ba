import type { Ring } from './doorbell.js';

/** What the keeper tells the worker. Every method is optional; none may throw. */
export interface LeaseListener {
  /** Somebody enqueued into this range; only well-formed rings of this schema arrive. */
  ring?(ring: Ring): void;
  /** Rings may have been missed (after each LISTEN and after a blocked loop): claim once more. */
  catchUp?(): void;
  /** This incarnation is marked dead or gone: its jobs are no longer its own. */
  dead?(workerId: string): void;
  /** A renewal was acknowledged. */
  renewed?(): void;
  /** The lease connection failed; the keeper dials again by itself, for ever. */
  connectionLost?(error: Error): void;
  /** Whether rings can be heard changed; while they cannot, polling alone finds jobs. */
  listening?(listening: boolean): void;
  /** The event loop of this process stood still for this long (> 1 s). */
  blocked?(ms: number): void;
}

/** The live workers of the schema as of the last renewal; `rank` counts from 0 by id. */
export interface Peers {
  readonly count: number;
  readonly rank: number;
}

/** `thread`: renewed from a helper thread; `loop`: renewed from the main event loop, poll-only. */
export type KeeperMode = 'thread' | 'loop';

/**
 * Holds the lease of one incarnation at a time. All instants are milliseconds of the
 * monotonic clock given to it.
 */
export interface LeaseKeeper {
  readonly mode: KeeperMode;
  readonly listening: boolean;
  readonly peers: Peers;
  /** Begins what takes a while and needs no worker id. To be called once, before `start`. */
  boot(): void;
  /**
   * Begins to renew.
   * @param registeredAt when the statement that registered this worker id was *sent*
   */
  start(workerId: string, registeredAt: number): void;
  /** Continues with a new incarnation; what is still under way for the old one no longer counts. */
  adopt(workerId: string, registeredAt: number): void;
  /** Ends renewing and closes the connection; the lease itself is left to the caller. */
  stop(): Promise<void>;
  /**
   * Until when claims and handlers of the current worker id are covered: the send time of
   * the last acknowledged renewal + lease - margin.
   */
  deadline(): number;
  /** @returns a function that removes the listener */
  on(listener: LeaseListener): () => void;
}

export interface LeaseTiming {
  readonly leaseMs: number;
  readonly renewEveryMs: number;
  /** After the main loop stood still for this long, its lease is no longer renewed. */
  readonly maxBlockedMs: number;
}

/** What is taken off a lease so that its holder stops before anybody else may take over. */
export function leaseMargin(leaseMs: number): number {
  return Math.min(leaseMs / 5, 1000);
}
