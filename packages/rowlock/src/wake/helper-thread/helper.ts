import type { ClientConfig } from 'pg';
import { cappedPauses, longestPauseMs, type Pauses } from '../../runtime/retry.js';
import { pause, systemClock } from '../../runtime/clock.js';
import { LeaseRecord } from '../lease-record.js';
import { Ear } from './ear.js';
import { LoopWatch } from './loop-watch.js';
import type { FromHelper, HelperStart, Incarnation } from './protocol.js';
import { lostBecause, Renewal } from './renewal.js';
import { HelperSession } from './session.js';

const longestAnswerMs = 5000;
const connectLimitMs = 5000;
const stillMs = 2000;

export interface HelperOptions extends Pick<HelperStart, 'schema' | 'channel' | 'timing' | 'record'> {
  readonly config: ClientConfig;
  readonly incarnation: Incarnation;
  readonly post: (message: FromHelper) => void;
}

/** The life of the helper thread: dial, renew and listen until the connection breaks, dial again, for ever. */
export class Helper {
  readonly #options: HelperOptions;
  readonly #record: LeaseRecord;
  readonly #renewal: Renewal;
  readonly #ear: Ear;
  readonly #watch: LoopWatch;
  readonly #stopping = new AbortController();
  readonly #pauses: Pauses;
  #session: HelperSession | undefined;
  #missedRings = false;
  #wasBlocked = false;

  constructor(options: HelperOptions) {
    this.#options = options;
    const { record, timing, incarnation, channel, post } = options;
    this.#record = new LeaseRecord(record);
    // After an outage a new worker id has one lease, in which the helper must have dialled again.
    this.#pauses = cappedPauses({ base: 50, cap: Math.min(longestPauseMs, timing.leaseMs / 3) });
    this.#renewal = new Renewal({ clock: systemClock, record: this.#record, timing, incarnation, post });
    this.#watch = new LoopWatch(timing.maxBlockedMs, this.#record.beats, systemClock.now());
    this.#ear = new Ear({
      clock: systemClock,
      channel,
      onRing: (ring) => this.#forward({ type: 'ring', ring }),
      onListening: (listening) => post({ type: 'listening', listening }),
      onCatchUp: () => post({ type: 'catch-up' }),
    });
  }

  async serve(): Promise<void> {
    const { signal } = this.#stopping;
    const ticking = setInterval(() => this.#tick(), tickMs(this.#options.timing.renewEveryMs));
    while (!signal.aborted) {
      try {
        await this.#attend(await this.#dial());
      } catch (error) {
        if (!signal.aborted) this.#options.post(lostBecause(error));
      }
      await pause(systemClock, this.#pauses.next(), signal);
    }
    clearInterval(ticking);
  }

  adopt(incarnation: Incarnation): void {
    this.#renewal.adopt(incarnation);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#session?.end();
  }

  #dial(): Promise<HelperSession> {
    return HelperSession.dial({
      config: this.#options.config,
      schema: this.#options.schema,
      connectLimitMs,
      answerLimitMs: Math.min(longestAnswerMs, this.#options.timing.leaseMs / 3),
      signal: this.#stopping.signal,
      onNotification: (payload) => this.#ear.hear(payload),
    });
  }

  /** Rejects with the reason when the connection is gone. */
  async #attend(session: HelperSession): Promise<never> {
    this.#session = session;
    this.#renewal.hurry();
    this.#tick();
    const listening = this.#ear.attend(session);
    const reason = await session.closed;
    this.#session = undefined;
    await listening;
    throw reason;
  }

  #tick(): void {
    const now = systemClock.now();
    this.#watch.observe(this.#record.beats, now);
    const blocked = this.#watch.isBlocked(now);
    if (this.#wasBlocked && !blocked) this.#renewal.hurry();
    this.#wasBlocked = blocked;
    if (this.#missedRings && this.#watch.stillFor(now) < stillMs) {
      this.#missedRings = false;
      this.#options.post({ type: 'catch-up' });
    }
    if (!blocked && this.#session !== undefined && this.#renewal.isDue(now)) void this.#renew(this.#session);
  }

  async #renew(session: HelperSession): Promise<void> {
    if (await this.#renewal.renew(session)) this.#pauses.reset();
  }

  /** A loop that stands still would only pile rings up: one catch-up afterwards is worth as much. */
  #forward(ring: FromHelper): void {
    if (this.#watch.stillFor(systemClock.now()) < stillMs) this.#options.post(ring);
    else this.#missedRings = true;
  }
}

/** Often enough that a renewal is at most a tenth of its period late. */
function tickMs(renewEveryMs: number): number {
  return Math.max(10, Math.min(250, renewEveryMs / 10));
}
