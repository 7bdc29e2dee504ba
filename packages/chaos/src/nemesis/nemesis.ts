import type { EmbeddedServer } from '@rowlock/embedded';
import type { HarnessDatabase } from '../database.js';
import type { Fleet } from '../fleet/fleet.js';
import type { Proxy } from '../proxy/proxy.js';
import type { Random } from '../random.js';

/** What a nemesis may lay hands on. */
export interface Field {
  readonly fleet: Fleet;
  readonly server: EmbeddedServer;
  readonly database: HarnessDatabase;
  /** One for each worker process that dials through a proxy. */
  readonly proxies: readonly Proxy[];
  readonly random: Random;
  readonly leaseMs: number;
  readonly maxBlockedMs: number;
  readonly outageMs: number;
  /** Aborts when the round wants to end. */
  readonly signal: AbortSignal;
}

/** One fault that struck. */
export interface Strike {
  /** In words, for whoever reads the report. */
  readonly what: string;
  /** The process whose jobs it took; absent where it struck them all. */
  readonly pid?: number;
  /** When jobs were lost by it at the earliest, in ms since 1970; absent: now, at the end of the strike. */
  readonly lostAt?: number;
}

/** What a nemesis is there to cause; a campaign without enough of it shows nothing. */
export type Yield = 'refused' | 'rescues' | 'unknown';

export interface Nemesis {
  readonly name: string;
  readonly what: string;
  readonly yields: readonly Yield[];
  /** Under this fault no job may lose its claim, no attempt may be burnt. */
  readonly lossless: boolean;
  /** Jobs that it took run again within this time and one rescue pass, in ms. */
  readonly recoversWithin: (leaseMs: number) => number;
  readonly viaProxy: boolean;
  /** Rest between two strikes, in ms. */
  readonly restMs: readonly [from: number, to: number];
  /** Whether a strike still fits into this much time; the first one always does. */
  lastsMs(field: Field): number;
  /** Strikes and resolves when the fault is over; empty if there was nothing to strike. */
  strike(field: Field): Promise<readonly Strike[]>;
}
