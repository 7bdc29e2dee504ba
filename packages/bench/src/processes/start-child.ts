import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Order, Report, ResultOf, Sample, Task } from './task.js';

const program = fileURLToPath(new URL('./child.js', import.meta.url));

/** A child process, ready to begin. */
export class Child<T extends Task> {
  /** Rejects when the child dies before it is done. */
  readonly done: Promise<ResultOf<T>>;
  /** The latest that it told. */
  latest: Sample | undefined;
  onSample: (sample: Sample) => void = () => undefined;
  readonly #process: ChildProcess;
  readonly #ready: Promise<void>;
  readonly #asked: ((sample: Sample) => void)[] = [];

  private constructor(task: T) {
    this.#process = fork(program, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    let ready: () => void = () => undefined;
    let dead: (error: Error) => void = () => undefined;
    this.#ready = new Promise((resolve, reject) => {
      ready = resolve;
      dead = reject;
    });
    this.done = new Promise((resolve, reject) => {
      this.#process.on('message', (report: Report) => {
        if (report.is === 'ready') ready();
        // The task says what its result is; the child kept to it.
        else if (report.is === 'done') resolve(report.result as ResultOf<T>);
        else this.#heard(report);
      });
      this.#process.once('exit', (code, signal) => {
        const error = new Error(`the process for ${task.do} ended early (${String(signal ?? code)})`);
        dead(error);
        reject(error);
      });
    });
    this.done.catch(() => undefined);
    this.#send({ task });
  }

  static async start<T extends Task>(task: T): Promise<Child<T>> {
    const child = new Child(task);
    await child.#ready;
    return child;
  }

  go(): void {
    this.#send({ order: 'go' });
  }

  /** How far it is now. */
  async sample(): Promise<Sample> {
    const answer = new Promise<Sample>((resolve) => this.#asked.push(resolve));
    this.#send({ order: 'sample' });
    return await Promise.race([
      answer,
      this.done.then(() => Promise.reject(new Error('the child has ended'))),
    ]);
  }

  /** @returns its result, once its process has ended */
  async stop(): Promise<ResultOf<T>> {
    this.#send({ order: 'stop' });
    return this.ended();
  }

  async ended(): Promise<ResultOf<T>> {
    const result = await this.done;
    if (this.#process.exitCode === null && this.#process.signalCode === null)
      await once(this.#process, 'exit');
    return result;
  }

  /** Its event loop stands still for so long. */
  block(ms: number): void {
    this.#send({ order: 'block', ms });
  }

  kill(): void {
    this.#process.kill('SIGKILL');
  }

  freeze(): void {
    this.#process.kill('SIGSTOP');
  }

  thaw(): void {
    this.#process.kill('SIGCONT');
  }

  #heard(sample: Sample): void {
    this.latest = sample;
    this.onSample(sample);
    this.#asked.shift()?.(sample);
  }

  #send(order: Order): void {
    this.#process.send(order);
  }
}

/** Starts all of them, uses them, and leaves none behind. */
export async function withChildren<T extends Task, R>(
  tasks: readonly T[],
  work: (children: readonly Child<T>[]) => Promise<R>,
): Promise<R> {
  const children: Child<T>[] = [];
  try {
    const started = await Promise.allSettled(tasks.map((task) => Child.start(task)));
    for (const each of started) if (each.status === 'fulfilled') children.push(each.value);
    for (const each of started) if (each.status === 'rejected') throw each.reason;
    return await work(children);
  } finally {
    for (const child of children) child.kill();
  }
}
