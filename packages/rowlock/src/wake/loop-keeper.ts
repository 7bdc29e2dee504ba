import type { Executor } from '../db/executor.js';
import type { Clock, Timer } from '../runtime/clock.js';
import { renewLease } from '../sql/generated/statements.gen.js';
import {
  leaseMargin,
  type LeaseKeeper,
  type LeaseListener,
  type LeaseTiming,
  type Peers,
} from './lease-keeper.js';
import { LeaseListeners } from './lease-listeners.js';
import { LeaseRecord } from './lease-record.js';
import { LoopBeat } from './loop-beat.js';

const retryMs = 1000;

export interface LoopKeeperOptions {
  readonly executor: Executor;
  readonly timing: LeaseTiming;
  readonly clock: Clock;
}

/** Renews from the main event loop, where no thread can: a handler that blocks the loop for a lease loses its jobs. */
export class LoopKeeper implements LeaseKeeper {
  readonly mode = 'loop';
  readonly listening = false;
  readonly #options: LoopKeeperOptions;
  readonly #record = new LeaseRecord();
  readonly #listeners = new LeaseListeners();
  readonly #beat: LoopBeat;
  #workerId = '';
  #generation = 0;
  #peers: Peers = { count: 1, rank: 0 };
  #timer: Timer | undefined;
  #underWay: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: LoopKeeperOptions) {
    this.#options = options;
    this.#beat = new LoopBeat({
      clock: options.clock,
      maxBlockedMs: options.timing.maxBlockedMs,
      onBeat: () => this.#record.beat(),
      onBlocked: (ms) => this.#listeners.tell((listener) => listener.blocked?.(ms)),
    });
  }

  get peers(): Peers {
    return this.#peers;
  }

  deadline(): number {
    const { leaseMs } = this.#options.timing;
    return this.#record.acknowledgedAt + leaseMs - leaseMargin(leaseMs);
  }

  on(listener: LeaseListener): () => void {
    return this.#listeners.add(listener);
  }

  boot(): void {
    // Nothing takes a while here.
  }

  start(workerId: string, registeredAt: number): void {
    this.adopt(workerId, registeredAt);
    this.#beat.start();
    this.#renewAfter(this.#options.timing.renewEveryMs);
  }

  adopt(workerId: string, registeredAt: number): void {
    this.#workerId = workerId;
    this.#generation = this.#record.adopt(registeredAt);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#beat.stop();
    this.#timer?.cancel();
    await this.#underWay;
  }

  #renewAfter(ms: number): void {
    if (this.#stopped) return;
    this.#timer = this.#options.clock.after(ms, () => {
      this.#underWay = this.#renew();
    });
  }

  async #renew(): Promise<void> {
    const { renewEveryMs } = this.#options.timing;
    try {
      await this.#send();
      this.#renewAfter(renewEveryMs);
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error));
      this.#listeners.tell((listener) => listener.connectionLost?.(failure));
      this.#renewAfter(Math.min(retryMs, renewEveryMs / 2));
    }
  }

  async #send(): Promise<void> {
    const { executor, timing, clock } = this.#options;
    const workerId = this.#workerId;
    const generation = this.#generation;
    const sentAt = clock.now();
    const [renewed] = await executor.run(renewLease, { workerId, leaseMs: timing.leaseMs });
    if (renewed === undefined) {
      this.#listeners.tell((listener) => listener.dead?.(workerId));
      return;
    }
    this.#record.acknowledge(generation, sentAt);
    this.#peers = { count: renewed.peers, rank: renewed.rank };
    this.#listeners.tell((listener) => listener.renewed?.());
  }
}
