import type { IntervalHistogram } from 'node:perf_hooks';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { sampleOf } from './channel.js';
import type { Mark } from './task.js';

const nsPerMs = 1_000_000;
const resolution = 5;

/** How the process was at every so many jobs; the delays of its event loop are those since the mark before. */
export class Marks {
  readonly taken: Mark[] = [];
  readonly #every: number;
  readonly #delays: IntervalHistogram = monitorEventLoopDelay({ resolution });

  constructor(every: number) {
    this.#every = every;
    this.#delays.enable();
  }

  look(count: number): void {
    const next = ((this.taken.at(-1)?.count ?? 0) / this.#every + 1) * this.#every;
    if (count < next) return;
    const { at, cpuUs } = sampleOf(count);
    this.taken.push({
      ...{ at, cpuUs, count: Math.floor(count / this.#every) * this.#every },
      rssBytes: process.memoryUsage.rss(),
      resources: process.getActiveResourcesInfo().filter((name) => name !== 'Timeout').length,
      loopDelayMs: {
        p50: lateness(this.#delays.percentile(50)),
        p99: lateness(this.#delays.percentile(99)),
        max: lateness(this.#delays.max),
      },
    });
    this.#delays.reset();
  }

  stop(): void {
    this.#delays.disable();
  }
}

/** What is timed is a timer of `resolution` ms: only what goes beyond is a delay. */
function lateness(ns: number): number {
  return Math.max(0, ns / nsPerMs - resolution);
}
