import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { until } from './until.js';

export interface Pgbouncer {
  /** The URL of the database behind it, by way of it. */
  readonly url: string;
  stop(): Promise<void>;
}

/** A pooler in transaction mode with its default settings; needs `pgbouncer` on the PATH. */
export async function startPgbouncer(databaseUrl: string): Promise<Pgbouncer> {
  const folder = await mkdtemp(join(tmpdir(), 'rowlock-pgbouncer-'));
  const port = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(file, settings(new URL(databaseUrl), port));
  // It refuses to run as root, and must read its settings as nobody.
  await chmod(folder, 0o755);
  const asRoot = process.getuid?.() === 0;
  const child = spawn('pgbouncer', [...(asRoot ? ['-u', 'nobody'] : []), file], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const failed = once(child, 'error');
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  const answers = until(() => canConnect(url.href), { what: 'pgbouncer answers' });
  await Promise.race([answers, failed.then(([error]: unknown[]) => Promise.reject(error as Error))]).catch(
    (cause: unknown) => {
      throw new Error(`pgbouncer did not start: ${said}`, { cause });
    },
  );
  return {
    url: url.href,
    stop: async () => {
      const closed = once(child, 'close');
      child.kill('SIGKILL');
      await closed;
      await rm(folder, { recursive: true });
    },
  };
}

function settings(server: URL, port: number): string {
  const password = server.password === '' ? '' : ` password=${decodeURIComponent(server.password)}`;
  const target = `host=${server.hostname} port=${server.port || '5432'} user=${decodeURIComponent(server.username)}${password}`;
  return `[databases]
* = ${target}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${String(port)}
auth_type = any
pool_mode = transaction
unix_socket_dir =
`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function canConnect(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
