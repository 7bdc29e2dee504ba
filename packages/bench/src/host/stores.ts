import type { BenchServer } from './bench-server.js';
import { withRedis } from './redis-server.js';
import type { Store, StoreKind } from './store.js';

/** A store of that kind that nobody used, gone again after the work. */
export function withStore<T>(
  server: BenchServer,
  kind: StoreKind,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  return kind === 'postgres' ? server.withDatabase(work) : withRedis(kind, server.folder, work);
}
