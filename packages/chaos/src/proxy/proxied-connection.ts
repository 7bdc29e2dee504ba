import { connect, type Socket } from 'node:net';
import type { Fault } from './fault.js';
import { Messages, simpleQuery } from './messages.js';

export interface ConnectionParts {
  readonly client: Socket;
  readonly address: { readonly host: string; readonly port: number };
  readonly sockets: Set<Socket>;
  /** Asked once for each statement. */
  readonly faultFor: () => Fault | undefined;
}

/** Messages that end a statement: Sync after an extended one, Query as a simple one. */
const ends = new Set(['S', 'Q']);
const partsOfStatement = new Set(['P', 'B', 'D', 'E', 'C', 'H']);
const readyForQuery = 'Z';

/** One connection through the proxy: whole statements go one way, whole messages come back. */
export class ProxiedConnection {
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #faultFor: () => Fault | undefined;
  readonly #fromServer = new Messages('server');
  #statement: Buffer[] = [];
  /** After the server has answered this statement, the connection ends and the answer with it. */
  #cutAfterAnswer = false;
  /** The client is gone, and the server is to find out only once it has done its work. */
  #abandoned = false;

  constructor({ client, address, sockets, faultFor }: ConnectionParts) {
    this.#client = client;
    this.#server = connect(address.port, address.host);
    this.#faultFor = faultFor;
    const fromClient = new Messages('client');
    for (const socket of [this.#client, this.#server]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
    this.#client.on('close', () => this.#clientGone());
    this.#server.on('close', () => this.#client.destroy());
    this.#client.on('data', (chunk) => {
      for (const { type, bytes } of fromClient.push(chunk)) this.#send(type, bytes);
    });
    this.#server.on('data', (chunk) => this.#answer(chunk));
  }

  #send(type: string, bytes: Buffer): void {
    if (partsOfStatement.has(type)) this.#statement.push(bytes);
    else if (ends.has(type)) {
      const statement = Buffer.concat([...this.#statement, bytes]);
      this.#statement = [];
      this.#forward(statement, this.#faultFor());
    } else this.#server.write(bytes);
  }

  #forward(statement: Buffer, fault: Fault | undefined): void {
    switch (fault?.how) {
      case undefined:
        this.#server.write(statement);
        return;
      case 'cut before':
        return this.#end();
      case 'cut midway':
        this.#abandoned = true;
        this.#client.destroy();
        this.#server.end(statement);
        return;
      case 'cut after':
        this.#cutAfterAnswer = true;
        this.#server.write(statement);
        return;
      case 'hold':
        this.#server.pause();
        this.#server.write(statement);
        setTimeout(() => this.#server.resume(), fault.ms);
        return;
      case 'fail':
        this.#server.write(
          simpleQuery(`do $$ begin raise exception 'chaos' using errcode = '${fault.sqlState}'; end $$`),
        );
    }
  }

  #answer(chunk: Buffer): void {
    const answered = [...this.#fromServer.push(chunk)].some(({ type }) => type === readyForQuery);
    if (this.#abandoned) return;
    if (!this.#cutAfterAnswer) this.#client.write(chunk);
    else if (answered) this.#end();
  }

  #clientGone(): void {
    if (!this.#abandoned) this.#server.destroy();
  }

  #end(): void {
    this.#client.destroy();
    this.#server.destroy();
  }
}
