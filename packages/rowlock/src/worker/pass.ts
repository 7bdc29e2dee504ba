import type { Executor } from '../db/executor.js';
import type { Clock, Timer } from '../runtime/clock.js';
import { pass } from '../sql/generated/statements.gen.js';
import type { PassRow } from '../sql/generated/statements.gen.js';
import type { Lanes } from './lanes.js';
import type { Reading } from './server-clock.js';

export interface PassOptions {
  readonly database: Executor;
  readonly clock: Clock;
  readonly lanes: Lanes;
  readonly queues: readonly string[];
  readonly kinds: readonly string[];
  readonly everyMs: number;
  readonly onAnswer: (answer: PassAnswer) => void;
  readonly onError: (error: unknown) => void;
}

export interface PassAnswer extends Reading {
  readonly nextDue: number | null;
}

/** Passes take at most this share of the time, however long a lane they have to look through. */
const maxShare = 0.02;

/** Four times a second: raises the floors, and learns of due times, pauses and parked kinds. */
export class Pass {
  readonly #options: PassOptions;
  #timer: Timer | undefined;
  #stopped = false;
  #underWay: Promise<void> | undefined;
  #openEpoch: string | null = null;
  /** How long the pass before took, in ms; 0 if it failed. */
  #tookBefore = 0;
  #pausedKinds: ReadonlySet<string> = new Set();
  #parked: readonly (readonly [string, string])[] = [];

  constructor(options: PassOptions) {
    this.#options = options;
  }

  get pausedKinds(): ReadonlySet<string> {
    return this.#pausedKinds;
  }

  /** Pairs of a queue and a kind, served here and not paused, of which parked jobs are due. */
  get parked(): readonly (readonly [queue: string, kind: string])[] {
    return this.#parked;
  }

  start(): void {
    this.#schedule(0);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#underWay;
  }

  /** What is known of epochs belongs to another server, or to a clock that went back. */
  reset(): void {
    this.#openEpoch = null;
  }

  #schedule(ms: number): void {
    if (this.#stopped) return;
    this.#timer = this.#options.clock.after(ms, () => {
      this.#underWay = this.#run();
    });
  }

  async #run(): Promise<void> {
    const { clock, everyMs } = this.#options;
    const begun = clock.now();
    let took = 0;
    try {
      await this.#look();
      took = clock.now() - begun;
    } catch (error) {
      this.#options.onError(error);
    }
    // One slow pass may have stood in a stopped process or behind a lost answer; two in a row have much to look through.
    this.#schedule(Math.max(everyMs, Math.min(took, this.#tookBefore) / maxShare));
    this.#tookBefore = took;
  }

  async #look(): Promise<void> {
    const { database, lanes, queues, kinds } = this.#options;
    const openEpoch = this.#openEpoch;
    const sentAt = this.#options.clock.now();
    // Epochs closed during an earlier pass: whatever was committed in them, this snapshot sees.
    const closedUntil = Number(openEpoch ?? 0) * 1_000_000;
    const floors = lanes.floors;
    const [row] = await database.run(pass, {
      queues,
      kinds,
      floorRunAts: floors.runAts,
      floorIds: floors.ids,
      closedUntil,
      openEpoch,
    });
    if (row === undefined) throw new TypeError('pass answered no row');
    // A reset meanwhile makes this answer one about another past.
    if (this.#openEpoch === openEpoch) {
      this.#openEpoch = row.openEpoch;
      lanes.raiseFloors(JSON.parse(row.lowest) as ([number, string] | null)[], closedUntil);
    }
    this.#learn(row);
    this.#options.onAnswer({ ...row, sentAt });
  }

  #learn(row: PassRow): void {
    this.#pausedKinds = new Set(row.pausedKinds);
    this.#parked = (JSON.parse(row.parked) as [string, string][]).filter(
      ([, kind]) => !this.#pausedKinds.has(kind),
    );
  }
}
