import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { until } from './until.js';

/** A program of this folder in a process of its own, and the lines it wrote. */
export class Child {
  readonly lines: string[] = [];
  readonly #process: ChildProcess;
  readonly #closed: Promise<unknown>;
  #errors = '';

  constructor(program: string, args: readonly string[]) {
    const path = fileURLToPath(new URL(program, import.meta.url));
    this.#process = spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let rest = '';
    this.#process.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n');
      rest = parts.pop() ?? '';
      this.lines.push(...parts);
    });
    this.#process.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#errors += text));
    this.#closed = once(this.#process, 'close');
  }

  /** A line that begins so. */
  said(start: string): Promise<string> {
    const find = (): string | undefined => {
      if (this.#process.exitCode !== null && !this.lines.some((line) => line.startsWith(start)))
        throw new Error(`the process ended without "${start}": ${this.#errors}`);
      return this.lines.find((line) => line.startsWith(start));
    };
    return until(find, { what: `the process says "${start}"` });
  }

  kill(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  /** How it ended by itself: its exit code or signal, and what it wrote to stderr. */
  async ending(timeoutMs = 10_000): Promise<string> {
    const { exitCode, signalCode } = this.#process;
    if (exitCode === null && signalCode === null)
      await until(() => this.#process.exitCode !== null || this.#process.signalCode !== null, {
        timeoutMs,
        what: 'the process ends',
      });
    await this.#closed;
    return `${String(this.#process.exitCode ?? this.#process.signalCode)} ${this.#errors}`.trim();
  }

  /** Whatever happened, it is gone afterwards. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#closed;
  }
}
