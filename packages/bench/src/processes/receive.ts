import { summarize } from '../report/statistics.js';
import { systemNamed } from '../systems/registry.js';
import type { BenchArgs } from '../systems/system.js';
import type { Channel } from './channel.js';
import { monotonicNow } from './monotonic.js';
import type { ReceiveResult, ReceiveTask } from './task.js';

/** Due is the call, or the throw of the first attempt, plus the delay: the way to the database counts as lateness. */
export async function receive(task: ReceiveTask, channel: Channel): Promise<ReceiveResult> {
  const latencies = new Latencies(task.windows);
  const failedAt = new Map<number, number>();
  let started = 0;
  const onStart = ({ at }: BenchArgs, attempt: number): boolean => {
    const now = monotonicNow();
    if (task.failFirst && attempt === 1) {
      if (at !== undefined) failedAt.set(at, now);
      return false;
    }
    started += 1;
    if (at !== undefined) latencies.add(now, now - (failedAt.get(at) ?? at) - task.delayMs);
    return true;
  };
  const consumer = await systemNamed(task.system).consumer(task.url, {
    concurrency: null,
    keep: systemNamed(task.system).keeps[0],
    purpose: task.purpose,
    pollOnly: task.pollOnly,
    onStart,
  });
  channel.counts(() => started);
  await channel.ready();
  await consumer.start();
  await channel.stopped();
  await consumer.stop();
  return latencies.result();
}

class Latencies {
  readonly all: number[] = [];
  readonly #windows: ReceiveTask['windows'];
  readonly #byWindow: number[][];
  #firstAt: number | undefined;

  constructor(windows: ReceiveTask['windows']) {
    this.#windows = windows;
    this.#byWindow = Array.from({ length: windows.count }, () => []);
  }

  add(now: number, latency: number): void {
    this.#firstAt ??= now;
    this.all.push(latency);
    this.#byWindow[Math.floor((now - this.#firstAt) / this.#windows.ms)]?.push(latency);
  }

  result(): ReceiveResult {
    return {
      all: summarize(this.all),
      windows: this.#byWindow.map(summarize),
      together: this.#windows.together.map(([from, to]) => summarize(this.#byWindow.slice(from, to).flat())),
    };
  }
}
