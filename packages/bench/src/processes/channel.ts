import { monotonicNow } from './monotonic.js';
import type { Order, Report, Results, Sample, Task } from './task.js';

/** The line of a child process to its parent. */
export class Channel {
  readonly #waiting = new Map<string, () => void>();
  readonly #said = new Set<string>();
  #count: () => number = () => 0;
  #block: (ms: number) => void = () => undefined;

  constructor() {
    process.on('message', (order: Order) => {
      if (!('order' in order)) return;
      if (order.order === 'sample') return this.send(sampleOf(this.#count()));
      if (order.order === 'block') return this.#block(order.ms);
      this.#said.add(order.order);
      this.#waiting.get(order.order)?.();
    });
  }

  /** What is answered when the parent asks how far this process has come. */
  counts(count: () => number): void {
    this.#count = count;
  }

  /** What stands still when the parent says so. */
  blocks(block: (ms: number) => void): void {
    this.#block = block;
  }

  /** Says that all is set up, and waits for the word to begin. */
  async ready(): Promise<void> {
    tell({ is: 'ready' });
    await this.#order('go');
  }

  stopped(): Promise<void> {
    return this.#order('stop');
  }

  send(sample: Sample): void {
    tell({ is: 'sample', ...sample });
  }

  done(result: Results[keyof Results]): void {
    tell({ is: 'done', result });
  }

  #order(order: 'go' | 'stop'): Promise<void> {
    if (this.#said.has(order)) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.set(order, resolve));
  }
}

/** Resolves with the task that the parent sends first. */
export function receiveTask(): Promise<Task> {
  return new Promise((resolve) => {
    process.once('message', (order: Order) => {
      if ('task' in order) resolve(order.task);
    });
  });
}

export function sampleOf(count: number): Sample {
  const { user, system } = process.cpuUsage();
  return { count, at: monotonicNow(), cpuUs: user + system };
}

function tell(report: Report): void {
  process.send?.(report);
}
