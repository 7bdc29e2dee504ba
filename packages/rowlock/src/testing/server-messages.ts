const sslRequest = 80877103;
const gssencRequest = 80877104;
const headerBytes = 5;

/** Gets each message of the server by its type byte; gives what the client is to receive instead, or null. */
export type MessageFilter = (type: string, message: Buffer) => Buffer | null;

/** Drops the messages of this type, such as `A` for notifications. */
export function without(dropped: string): MessageFilter {
  return (type, message) => (type === dropped ? null : message);
}

/** Claims another backend than the one that answers, as a pooler does; for connections opened from now on. */
export const poseAsPooler: MessageFilter = (type, message) => {
  if (type !== 'K') return message;
  const disguised = Buffer.from(message);
  disguised.writeInt32BE(message.readInt32BE(headerBytes) ^ 1, headerBytes);
  return disguised;
};

/** The two directions of one connection, of which the server's is split into messages unless it is encrypted. */
export class ServerMessages {
  #encrypted: boolean | undefined;
  #rest: Buffer = Buffer.alloc(0);

  /** The first packet of the client says whether the answers will be readable. */
  sent(bytes: Buffer): Buffer {
    if (this.#encrypted === undefined) {
      const request = bytes.length >= 8 ? bytes.readInt32BE(4) : 0;
      this.#encrypted = request === sslRequest || request === gssencRequest;
    }
    return bytes;
  }

  received(bytes: Buffer, filter: MessageFilter | undefined): Buffer {
    if (this.#encrypted !== false) return bytes;
    this.#rest = Buffer.concat([this.#rest, bytes]);
    const passed: Buffer[] = [];
    for (let message = this.#next(); message !== undefined; message = this.#next()) {
      const kept =
        filter === undefined ? message : filter(String.fromCharCode(message.readUInt8(0)), message);
      if (kept !== null) passed.push(kept);
    }
    return Buffer.concat(passed);
  }

  #next(): Buffer | undefined {
    if (this.#rest.length < headerBytes) return undefined;
    const end = this.#rest.readInt32BE(1) + 1;
    if (this.#rest.length < end) return undefined;
    const message = this.#rest.subarray(0, end);
    this.#rest = this.#rest.subarray(end);
    return message;
  }
}
