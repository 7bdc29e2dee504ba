import { dirname } from 'node:path';
import type { EmbeddedServer } from '@rowlock/embedded';
import { startServer } from '@rowlock/embedded';
import { Client } from 'pg';
import { serverCpu } from './server-cpu.js';
import type { Cost, Store } from './store.js';
import { meterBy } from './store.js';

/** The same for every system. What is not named here has PostgreSQL's default. */
export const serverSettings = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  shared_buffers: '512MB',
  max_wal_size: '4GB',
  max_connections: '200',
  shared_preload_libraries: 'pg_stat_statements',
} as const;

/** A database of its own for one measurement. */
export interface BenchDatabase extends Store {
  readonly port: number;
  readonly name: string;
  readonly client: Client;
}

/** A fresh server for one lane. */
export class BenchServer {
  readonly admin: Client;
  readonly #server: EmbeddedServer;
  #databases = 0;

  private constructor(server: EmbeddedServer, admin: Client) {
    this.#server = server;
    this.admin = admin;
  }

  static async start(): Promise<BenchServer> {
    const server = await startServer({ ignoreDatabaseUrl: true, settings: serverSettings });
    const admin = new Client({ connectionString: server.url });
    await admin.connect();
    await admin.query('create extension pg_stat_statements');
    return new BenchServer(server, admin);
  }

  /** On the disk of its data. */
  get folder(): string {
    return dirname(this.#server.dataDir);
  }

  /** A database that nobody used, after a checkpoint, so that no measurement pays for the writes of another. */
  async withDatabase<T>(work: (database: BenchDatabase) => Promise<T>): Promise<T> {
    this.#databases += 1;
    const name = `bench_${this.#databases}`;
    await this.admin.query(`create database ${name}`);
    await this.admin.query('checkpoint');
    const url = this.#server.urlFor(name);
    const client = new Client({ connectionString: url });
    try {
      await client.connect();
      await client.query('create extension pg_stat_statements');
      const meter = (): Promise<() => Promise<Cost>> => meterBy(() => this.#reading());
      return await work({ url, name, client, port: this.#server.port, meter });
    } finally {
      await client.end();
      await this.admin.query(`drop database ${name} with (force)`);
    }
  }

  async stop(): Promise<void> {
    await this.admin.end();
    await this.#server.stop();
  }

  async #reading(): Promise<Cost> {
    const { rows } = await this.admin.query<{ wal: string; ms: number }>(
      `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as wal,
         (select coalesce(sum(total_exec_time), 0) from pg_stat_statements) as ms`,
    );
    return {
      cpuUs: await serverCpu(this.#server.postmasterPid),
      dbTimeUs: Number(rows[0]?.ms) * 1000,
      walBytes: Number(rows[0]?.wal),
    };
  }
}
