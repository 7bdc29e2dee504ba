import { type MessageChannel, Worker } from 'node:worker_threads';
import { cappedPauses } from '../runtime/retry.js';
import type { Clock, Timer } from '../runtime/clock.js';
import { doorbellChannel } from './doorbell.js';
import type { HelperCallbacks, SplitSettings } from './helper-settings.js';
import type {
  FromHelper,
  HelperStart,
  IdentityLine,
  Incarnation,
  ToHelper,
} from './helper-thread/protocol.js';
import { helperThreadSource } from './helper-thread/source.gen.js';
import { answerIdentity, answerPassword } from './helper-answers.js';
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

const stopLimitMs = 2000;

export interface ThreadKeeperOptions {
  readonly connection: SplitSettings;
  readonly schema: string;
  readonly timing: LeaseTiming;
  readonly clock: Clock;
}

/** The main side of the helper thread, which renews even while a handler blocks the event loop. */
export class ThreadKeeper implements LeaseKeeper {
  readonly mode = 'thread';
  readonly #options: ThreadKeeperOptions;
  readonly #record = new LeaseRecord();
  readonly #listeners = new LeaseListeners();
  readonly #beat: LoopBeat;
  readonly #pauses = cappedPauses({ base: 50 });
  #incarnation: Incarnation | undefined;
  #thread: Worker | undefined;
  #identity: MessageChannel | undefined;
  #restart: Timer | undefined;
  #stopping: Promise<void> | undefined;
  #listening = false;
  #peers: Peers = { count: 1, rank: 0 };

  constructor(options: ThreadKeeperOptions) {
    this.#options = options;
    this.#beat = new LoopBeat({
      clock: options.clock,
      maxBlockedMs: options.timing.maxBlockedMs,
      onBeat: () => this.#record.beat(),
      onBlocked: (ms) => this.#listeners.tell((listener) => listener.blocked?.(ms)),
    });
  }

  get listening(): boolean {
    return this.#listening;
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
    this.#spawn();
  }

  start(workerId: string, registeredAt: number): void {
    this.#beat.start();
    this.adopt(workerId, registeredAt);
  }

  adopt(workerId: string, registeredAt: number): void {
    this.#incarnation = { workerId, generation: this.#record.adopt(registeredAt) };
    this.#send({ type: 'adopt', incarnation: this.#incarnation });
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    this.#beat.stop();
    this.#restart?.cancel();
    const thread = this.#thread;
    if (thread === undefined) return;
    const gone = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
    const overdue = this.#options.clock.after(stopLimitMs, () => void thread.terminate());
    this.#send({ type: 'stop' });
    await gone;
    overdue.cancel();
    this.#setListening(false);
  }

  #spawn(): void {
    const { connection, schema, timing } = this.#options;
    const identity = this.#openIdentityLine(connection.callbacks);
    const workerData: HelperStart = {
      settings: connection.settings,
      schema,
      channel: doorbellChannel(schema),
      timing,
      record: this.#record.buffer,
      ...(identity !== undefined && { identity }),
    };
    const thread = new Worker(helperThreadSource, {
      eval: true,
      name: 'rowlock helper',
      // Loaders and input types of the main thread are not meant for this text.
      execArgv: [],
      workerData,
      transferList: identity === undefined ? [] : [identity.port],
    });
    this.#thread = thread;
    thread.on('message', (message: FromHelper) => this.#receive(message));
    thread.on('error', (error) => this.#lose(error));
    thread.once('exit', () => this.#exited());
    if (this.#incarnation !== undefined) this.#send({ type: 'adopt', incarnation: this.#incarnation });
  }

  /** The thread never ends by itself; if it does (out of memory, say), another one takes over. */
  #exited(): void {
    this.#thread = undefined;
    this.#identity?.port1.close();
    this.#setListening(false);
    if (this.#stopping !== undefined) return;
    this.#restart = this.#options.clock.after(this.#pauses.next(), () => this.#spawn());
  }

  #receive(message: FromHelper): void {
    switch (message.type) {
      case 'renewed':
        this.#pauses.reset();
        this.#peers = message.peers;
        return this.#listeners.tell((listener) => listener.renewed?.());
      case 'dead':
        return this.#listeners.tell((listener) => listener.dead?.(message.workerId));
      case 'lost':
        return this.#lose(
          Object.assign(new Error(message.message), message.code !== undefined && { code: message.code }),
        );
      case 'ring':
        return this.#listeners.tell((listener) => listener.ring?.(message.ring));
      case 'catch-up':
        return this.#listeners.tell((listener) => listener.catchUp?.());
      case 'listening':
        return this.#setListening(message.listening, true);
      case 'ask-password':
        return void answerPassword(this.#options.connection.callbacks, message.id).then((answer) =>
          this.#send(answer),
        );
    }
  }

  #openIdentityLine({ checkServerIdentity }: HelperCallbacks): IdentityLine | undefined {
    if (checkServerIdentity === undefined) return undefined;
    const { channel, line } = answerIdentity(checkServerIdentity);
    this.#identity = channel;
    return line;
  }

  #setListening(listening: boolean, tell = this.#listening !== listening): void {
    this.#listening = listening;
    if (tell) this.#listeners.tell((listener) => listener.listening?.(listening));
  }

  #lose(error: Error): void {
    // A renewal that was due while the connection was being closed.
    if (this.#stopping !== undefined) return;
    this.#listeners.tell((listener) => listener.connectionLost?.(error));
  }

  #send(message: ToHelper): void {
    this.#thread?.postMessage(message);
  }
}
