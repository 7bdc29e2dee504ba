import type { PoolClient } from 'pg';

/** Ends a connection without a goodbye, as a crash of its process would. */
export function destroySocket(client: PoolClient): void {
  (
    client as PoolClient & { readonly connection: { readonly stream: { destroy(): void } } }
  ).connection.stream.destroy();
}
