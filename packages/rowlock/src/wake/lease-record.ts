const cell = { generation: 0, acknowledged: 1, beats: 2 } as const;
const cellCount = 3;

/**
 * What the main loop and the helper thread both read and write without waiting for each
 * other, so that the deadline of a lease is known at once after a blocked loop.
 * Instants are monotonic microseconds; 0 stands for never.
 */
export class LeaseRecord {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: BigInt64Array;

  constructor(buffer = new SharedArrayBuffer(cellCount * BigInt64Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer;
    this.#cells = new BigInt64Array(buffer);
  }

  /** Begins with a new incarnation. @returns its generation */
  adopt(registeredAt: number): number {
    const generation = Atomics.add(this.#cells, cell.generation, 1n) + 1n;
    Atomics.store(this.#cells, cell.acknowledged, toMicroseconds(registeredAt));
    return Number(generation);
  }

  /**
   * Notes when an acknowledged renewal was sent. An adoption in between changes the cell,
   * so the exchange fails and an old incarnation never lengthens the lease of a new one.
   */
  acknowledge(generation: number, sentAt: number): void {
    const before = Atomics.load(this.#cells, cell.acknowledged);
    if (Atomics.load(this.#cells, cell.generation) !== BigInt(generation)) return;
    const sent = toMicroseconds(sentAt);
    if (sent > before) Atomics.compareExchange(this.#cells, cell.acknowledged, before, sent);
  }

  /** Monotonic ms, or -Infinity before the first adoption. */
  get acknowledgedAt(): number {
    const microseconds = Atomics.load(this.#cells, cell.acknowledged);
    return microseconds === 0n ? -Infinity : Number(microseconds) / 1000;
  }

  /** The main loop shows that it moves. */
  beat(): void {
    Atomics.add(this.#cells, cell.beats, 1n);
  }

  get beats(): bigint {
    return Atomics.load(this.#cells, cell.beats);
  }
}

/** Rounded down: a lease may seem shorter than it is, never longer. */
function toMicroseconds(ms: number): bigint {
  return BigInt(Math.floor(ms * 1000));
}
