import type { PollConfig } from '../config/validate-worker.js';
import type { Executor } from '../db/executor.js';
import type { Clock, Timer } from '../runtime/clock.js';
import { setIdle } from '../sql/generated/statements.gen.js';
import type { Ring } from '../wake/doorbell.js';
import { answerDelayMs } from '../wake/doorbell.js';
import type { LeaseKeeper } from '../wake/lease-keeper.js';
import type { Named } from './ask.js';
import { DueTimes } from './due-times.js';
import type { Lanes } from './lanes.js';
import type { ServerClock } from './server-clock.js';
import type { Slots } from './slots.js';

export interface WakerOptions {
  readonly database: Executor;
  readonly clock: Clock;
  readonly serverClock: ServerClock;
  readonly keeper: LeaseKeeper;
  readonly lanes: Lanes;
  readonly slots: readonly Slots[];
  readonly poll: PollConfig;
  /** Something may be claimable: look. */
  readonly stir: () => void;
  /** Claims this job, if a slot is free and nothing else to do; false: it looks as always. */
  readonly claimNamed: (slots: Slots, named: Named) => boolean;
  readonly onError: (error: unknown) => void;
}

/** How long the register says that somebody waits, and how much of it may pass before it is renewed. */
const idleForMs = 2000;
const idleRenewMs = 1000;
/** Passes mostly renew it before; where they come seldom, the waker sees to it itself. */
const idleLimitMs = 1500;

/** Decides when queues that had no more are asked again: a doorbell, a due time, a poll. */
export class Waker {
  readonly #options: WakerOptions;
  readonly #due = new DueTimes();
  #dueTimer: Timer | undefined;
  #pollTimer: Timer | undefined;
  #pollMs: number;
  #idleSetAt = -Infinity;
  #idleTimer: Timer | undefined;
  #settingIdle: Promise<void> | undefined;
  #stopped = false;
  readonly #answers = new Set<Timer>();

  constructor(options: WakerOptions) {
    this.#options = options;
    this.#pollMs = options.poll.minMs;
  }

  /** Every queue may have more. */
  wakeAll(): void {
    for (const slots of this.#options.slots) slots.wake();
    this.#options.stir();
  }

  answer(ring: Ring): void {
    const slots = this.#options.slots.find(({ queue }) => queue === ring.queue);
    if (slots === undefined || this.#options.poll.mode === 'poll') return;
    const { serverClock, keeper } = this.#options;
    const latest = serverClock.latest();
    // Before the first answer the database's time is not known, and a timer for a due time cannot be set.
    if (latest !== null && ring.runAtUs > serverClock.now()) this.dueAt(ring.runAtUs);
    // What may be due already, as far as is known here, is worth a look: a timer fires a millisecond later at best.
    if (latest !== null && ring.runAtUs > latest) return;
    const { peers } = keeper;
    const delay = answerDelayMs({
      peers: peers.count,
      rank: peers.rank,
      random: ring.random,
      count: ring.count,
    });
    if (delay === 0) return this.#lookInto(slots, ring);
    const timer = this.#options.clock.after(delay, () => {
      this.#answers.delete(timer);
      this.#lookInto(slots, ring);
    });
    this.#answers.add(timer);
  }

  /** A job is due then (microseconds, the database's clock). */
  dueAt(runAt: number): void {
    const first = this.#due.first;
    this.#due.add(runAt);
    if (this.#due.first !== first) this.#waitForDue();
  }

  #waitForDue(): void {
    this.#dueTimer?.cancel();
    const { serverClock, clock } = this.#options;
    const { first } = this.#due;
    if (first === undefined) return;
    // Rounded up: a timer that fires early finds nothing and waits for the next pass.
    const wait = Math.max(0, Math.ceil((first - serverClock.now()) / 1000));
    this.#dueTimer = clock.after(wait, () => {
      this.#due.dropUntil(Math.max(first, serverClock.now()));
      this.wakeAll();
      this.#waitForDue();
    });
    this.#dueTimer.unref();
  }

  /** Claims found something: poll soon again once they do not. */
  found(): void {
    this.#pollMs = this.#options.poll.minMs;
  }

  /** Nothing more is claimable and this process will wait. */
  idle(): void {
    if (this.#stopped) return;
    const { keeper, clock, poll } = this.#options;
    if (poll.mode === 'poll' || !keeper.listening) return this.#pollLater();
    if (clock.now() - this.#idleSetAt < idleRenewMs) return;
    this.#idleSetAt = clock.now();
    this.#settingIdle = this.#setIdle();
    this.#idleTimer?.cancel();
    this.#idleTimer = clock.after(idleLimitMs, () => this.wakeAll());
    this.#idleTimer.unref();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const timer of [this.#dueTimer, this.#pollTimer, this.#idleTimer]) timer?.cancel();
    for (const timer of this.#answers) timer.cancel();
    await this.#settingIdle;
  }

  /** Set idle, claim once more, then wait: what was enqueued before the register was set is found by that claim. */
  async #setIdle(): Promise<void> {
    try {
      await this.#options.database.run(setIdle, { forMs: idleForMs });
      this.wakeAll();
    } catch (error) {
      this.#idleSetAt = -Infinity;
      this.#options.onError(error);
    }
  }

  #lookInto(slots: Slots, { queue, id, runAtUs: runAt }: Ring): void {
    if (id !== null && this.#options.claimNamed(slots, { queue, id, runAt })) return;
    this.#options.lanes.lowerOnce(slots.index, runAt);
    slots.wake();
    this.#options.stir();
  }

  #pollLater(): void {
    const { poll, clock } = this.#options;
    this.#pollTimer?.cancel();
    this.#pollTimer = clock.after(this.#pollMs, () => this.wakeAll());
    this.#pollTimer.unref();
    this.#pollMs = Math.min(this.#pollMs * 2, poll.maxMs);
  }
}
