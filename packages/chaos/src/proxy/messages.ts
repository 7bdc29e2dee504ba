/** Length of a message without a type byte (the first ones of a client), including the length itself. */
const header = 4;
const startupVersion = 196_608;

export interface Message {
  /** Empty for the messages before a session has begun. */
  readonly type: string;
  readonly bytes: Buffer;
}

/** Cuts a stream of the PostgreSQL protocol into its messages. */
export class Messages {
  #rest: Buffer = Buffer.alloc(0);
  #untyped: boolean;

  /** @param from clients begin with messages that have no type */
  constructor(from: 'client' | 'server') {
    this.#untyped = from === 'client';
  }

  *push(chunk: Buffer): Generator<Message> {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const offset = this.#untyped ? 0 : 1;
      if (this.#rest.length < offset + header) return;
      const length = offset + this.#rest.readInt32BE(offset);
      if (this.#rest.length < length) return;
      const bytes = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      const type = this.#untyped ? '' : String.fromCharCode(bytes[0] ?? 0);
      if (this.#untyped && bytes.readInt32BE(header) === startupVersion) this.#untyped = false;
      yield { type, bytes };
    }
  }
}

/** A simple query, as a client sends it. */
export function simpleQuery(text: string): Buffer {
  const body = Buffer.from(`${text}\0`);
  const bytes = Buffer.alloc(1 + header + body.length);
  bytes.write('Q');
  bytes.writeInt32BE(header + body.length, 1);
  body.copy(bytes, 1 + header);
  return bytes;
}
