import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkerCounters } from 'rowlock';
import type { Random } from '../random.js';
import { until, wait } from '../wait.js';
import type { UnexpectedEnd } from './fleet-worker.js';
import { FleetWorker } from './fleet-worker.js';
import { readJournal, type JournalLine } from './journal.js';
import type { WorkerSettings } from './messages.js';

export interface FleetOptions extends Omit<WorkerSettings, 'url' | 'journal'> {
  /** The URL that each worker process dials; their number is the size of the fleet. */
  readonly urls: readonly string[];
  /** Where journals and logs go. */
  readonly folder: string;
}

const linesOfLog = 8;
const startLimitMs = 30_000;
const stopLimitMs = 30_000;

/** The worker processes of a round. A place whose process was killed is taken by a new one. */
export class Fleet {
  readonly #options: FleetOptions;
  readonly #places: FleetWorker[] = [];
  readonly #all: FleetWorker[] = [];
  readonly #killAll = (): void => this.#all.forEach((worker) => void worker.kill());

  constructor(options: FleetOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#options.urls.length;
  }

  /** Handlers running in all processes, as they last told. */
  get running(): number {
    return this.#places.reduce((sum, worker) => sum + worker.running, 0);
  }

  get unexpectedEnds(): UnexpectedEnd[] {
    return this.#all.flatMap(({ unexpectedEnd }) => unexpectedEnd ?? []);
  }

  /** Worker ids that were given up for new ones. */
  get reincarnations(): number {
    return this.#all.reduce((sum, { registrations }) => sum + Math.max(0, registrations - 1), 0);
  }

  async start(): Promise<void> {
    // A frozen process does not notice that its parent is gone.
    process.on('exit', this.#killAll);
    this.#options.urls.forEach((_, place) => this.#spawn(place));
    if (!(await until(() => this.unwell().length === 0, startLimitMs)))
      throw new Error(
        [`the fleet did not start: ${this.unwell().join('; ')}`, ...this.lastWords()].join('\n'),
      );
  }

  /** A process that is up, most likely one that runs jobs. */
  pick(random: Random): FleetWorker | undefined {
    const fit = this.#places.filter(
      (worker) => worker.isAlive && !worker.frozen && worker.health !== undefined,
    );
    const busy = fit.filter((worker) => worker.running > 0);
    if (fit.length === 0) return undefined;
    return random.pick(busy.length > 0 ? busy : fit);
  }

  async killAndReplace(worker: FleetWorker): Promise<void> {
    const place = this.#places.indexOf(worker);
    await worker.kill();
    this.#spawn(place);
  }

  /** Why processes are not in order, in words; empty when all are. */
  unwell(): string[] {
    return this.#places.flatMap((worker) => {
      if (!worker.isAlive) return `process ${worker.pid} is gone`;
      if (worker.health === undefined) return `process ${worker.pid} has told nothing yet`;
      return worker.health.ok ? [] : `process ${worker.pid}: ${worker.health.reasons.join(', ')}`;
    });
  }

  totals(): WorkerCounters {
    const totals: WorkerCounters = {
      started: 0,
      settled: 0,
      released: 0,
      failed: 0,
      leaseLost: 0,
      outcomeUnknown: 0,
      cutOff: 0,
      rescued: 0,
      parked: 0,
    };
    for (const { health } of this.#all) {
      if (health === undefined) continue;
      for (const name of Object.keys(totals) as (keyof WorkerCounters)[])
        totals[name] += health.counters[name];
    }
    return totals;
  }

  /** Stops every process gracefully. @returns those that had to be killed for it */
  async stop(): Promise<number[]> {
    const living = this.#places.filter((worker) => worker.isAlive);
    const overdue: number[] = [];
    await Promise.all(
      living.map(async (worker) => {
        const limit = new AbortController();
        await Promise.race([worker.stop().finally(() => limit.abort()), wait(stopLimitMs, limit.signal)]);
        if (!worker.isAlive) return;
        overdue.push(worker.pid);
        await worker.kill();
      }),
    );
    process.off('exit', this.#killAll);
    return overdue;
  }

  /** Every line of every process that ever was. */
  journal(): JournalLine[] {
    return this.#all.flatMap((_, n) => readJournal(this.#fileOf(n, 'jsonl')));
  }

  /** What processes wrote that is no line of the logger: why they ended, if they knew. */
  lastWords(): string[] {
    const isStack = (line: string): boolean => line !== '' && !line.startsWith('{');
    const logs = this.#all.map((_, n) => readFileSync(this.#fileOf(n, 'log'), 'utf8'));
    return logs.flatMap((log) => log.split('\n').filter(isStack).slice(-linesOfLog));
  }

  #spawn(place: number): void {
    const { urls, folder: _, ...settings } = this.#options;
    const n = this.#all.length;
    const journal = this.#fileOf(n, 'jsonl');
    const worker = new FleetWorker({ ...settings, url: urls[place] ?? '', journal }, this.#fileOf(n, 'log'));
    this.#places[place] = worker;
    this.#all.push(worker);
  }

  /** A file of the n-th process that was started. */
  #fileOf(n: number, kind: 'jsonl' | 'log'): string {
    return join(this.#options.folder, `worker-${n}.${kind}`);
  }
}
