import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Fault } from './fault.js';
import { ProxiedConnection } from './proxied-connection.js';

interface Armed {
  left: number;
  readonly fault: Fault;
  readonly strike: () => void;
}

/** Stands between one worker process and the server, and can make any one statement go wrong. */
export class Proxy {
  readonly url: string;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;
  #armed: Armed | undefined;

  private constructor(server: Server, target: URL, sockets: Set<Socket>) {
    const url = new URL(target);
    url.hostname = '127.0.0.1';
    url.port = String((server.address() as AddressInfo).port);
    this.url = url.href;
    this.#server = server;
    this.#sockets = sockets;
  }

  static async open(serverUrl: string): Promise<Proxy> {
    const target = new URL(serverUrl);
    const sockets = new Set<Socket>();
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new Proxy(server, target, sockets);
    const address = { host: target.hostname, port: Number(target.port) };
    server.on(
      'connection',
      (client) => new ProxiedConnection({ client, address, sockets, faultFor: () => proxy.#next() }),
    );
    return proxy;
  }

  /** Lets `fault` strike the n-th statement from now on. @returns resolves when it did, or the signal aborts */
  arm(n: number, fault: Fault, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const giveUp = (): void => {
        this.#armed = undefined;
        resolve(false);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      const strike = (): void => {
        signal.removeEventListener('abort', giveUp);
        resolve(true);
      };
      this.#armed = { left: n, fault, strike };
    });
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** Counts a statement. @returns what is to happen to it, if anything */
  #next(): Fault | undefined {
    const armed = this.#armed;
    if (armed === undefined || --armed.left > 0) return undefined;
    this.#armed = undefined;
    armed.strike();
    return armed.fault;
  }
}
