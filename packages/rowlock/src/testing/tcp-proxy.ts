import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { ServerMessages, type MessageFilter } from './server-messages.js';

/** `deaf`: requests arrive, answers do not. `black-hole`: nothing arrives, and nobody is told. `refuse`: new connections are cut. */
export type ProxyMode = 'pass' | 'deaf' | 'black-hole' | 'refuse';

export interface TcpProxy {
  /** The URL of the server behind the proxy, by way of the proxy. */
  readonly url: string;
  mode: ProxyMode;
  /** Changes or drops messages of the server. */
  filter: MessageFilter | undefined;
  /** How many connections were let in so far. */
  readonly accepted: number;
  /** How many were cut at once. */
  readonly refused: number;
  /** Resets every connection. */
  cut(): void;
  close(): Promise<void>;
}

/** A network between client and server that fails on demand. */
export async function startTcpProxy(serverUrl: string): Promise<TcpProxy> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  const state: { mode: ProxyMode; filter: MessageFilter | undefined; accepted: number; refused: number } = {
    mode: 'pass',
    filter: undefined,
    accepted: 0,
    refused: 0,
  };
  const server = createServer((client) => {
    if (state.mode === 'refuse') {
      state.refused++;
      client.destroy();
      return;
    }
    state.accepted++;
    const messages = new ServerMessages();
    const upstream = connect(Number(target.port || 5432), target.hostname);
    join({
      from: client,
      to: upstream,
      sockets,
      passes: () => state.mode === 'pass' || state.mode === 'deaf',
      edit: (bytes) => messages.sent(bytes),
    });
    join({
      from: upstream,
      to: client,
      sockets,
      passes: () => state.mode === 'pass',
      edit: (bytes) => messages.received(bytes, state.filter),
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(serverUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  const cut = (): void => sockets.forEach((socket) => socket.destroy());
  return Object.assign(state, {
    url: url.href,
    cut,
    close: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  });
}

interface Direction {
  readonly from: Socket;
  readonly to: Socket;
  readonly sockets: Set<Socket>;
  readonly passes: () => boolean;
  readonly edit: (bytes: Buffer) => Buffer;
}

function join({ from, to, sockets, passes, edit }: Direction): void {
  sockets.add(from);
  from.on('data', (chunk) => {
    const edited = edit(chunk);
    if (passes() && edited.length > 0) to.write(edited);
  });
  from.on('error', () => undefined);
  from.on('close', () => {
    sockets.delete(from);
    if (passes()) to.destroy();
  });
}
