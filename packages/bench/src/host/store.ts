/** Where a system keeps its jobs. Redis is told how often it makes its log durable. */
export type StoreKind = 'postgres' | 'redis everysec' | 'redis always';

/** What some work cost the server. */
export interface Cost {
  /** CPU time of all its processes; NaN where it cannot be known. */
  readonly cpuUs: number;
  /** Time that its statements took, as `pg_stat_statements` has it; NaN where nobody counts it. */
  readonly dbTimeUs: number;
  /** WAL of PostgreSQL, the append-only files of Redis. */
  readonly walBytes: number;
}

/** A store of its own for one measurement. */
export interface Store {
  readonly url: string;
  /** Begins to count; the function it returns ends that. */
  meter(): Promise<() => Promise<Cost>>;
}

/** Two readings, and what lies between them. */
export async function meterBy(read: () => Promise<Cost>): Promise<() => Promise<Cost>> {
  const before = await read();
  return async () => {
    const after = await read();
    return {
      cpuUs: after.cpuUs - before.cpuUs,
      dbTimeUs: after.dbTimeUs - before.dbTimeUs,
      walBytes: after.walBytes - before.walBytes,
    };
  };
}
