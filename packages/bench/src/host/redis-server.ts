import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { serverCpu } from './server-cpu.js';
import type { Cost, Store, StoreKind } from './store.js';
import { meterBy } from './store.js';

const patience = 10_000;

/** A fresh Redis that keeps an append-only file and takes no snapshots, its files on the disk of the other servers. */
export async function withRedis<T>(
  kind: Exclude<StoreKind, 'postgres'>,
  folder: string,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const own = await mkdtemp(join(folder, 'redis-'));
  const port = await freePort();
  const server = await startRedis([
    ...['--bind', '127.0.0.1', '--port', String(port), '--dir', own, '--save', '', '--appendonly', 'yes'],
    ...[
      '--appendfsync',
      kind === 'redis always' ? 'always' : 'everysec',
      '--auto-aof-rewrite-percentage',
      '0',
    ],
  ]);
  try {
    await untilListening(port);
    return await work({
      url: `redis://127.0.0.1:${port}`,
      meter: () => meterBy(() => reading(server, join(own, 'appendonlydir'))),
    });
  } finally {
    server.kill('SIGKILL');
    if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
    await rm(own, { recursive: true, force: true });
  }
}

async function startRedis(options: readonly string[]): Promise<ChildProcess> {
  const server = spawn('redis-server', options, { stdio: 'ignore' });
  try {
    await once(server, 'spawn');
  } catch (error) {
    throw new Error(
      'redis-server was not found: put it on the PATH (Debian: redis-server), or leave Redis out.',
      {
        cause: error,
      },
    );
  }
  return server;
}

async function reading({ pid }: ChildProcess, folder: string): Promise<Cost> {
  const files = await readdir(folder);
  const sizes = await Promise.all(files.map(async (name) => (await stat(join(folder, name))).size));
  return {
    cpuUs: await serverCpu(pid ?? null),
    dbTimeUs: NaN,
    walBytes: sizes.reduce((sum, size) => sum + size, 0),
  };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new TypeError('a listening socket has a port');
  return address.port;
}

async function untilListening(port: number): Promise<void> {
  const deadline = performance.now() + patience;
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await pause(20);
    } finally {
      socket.destroy();
    }
  }
}
