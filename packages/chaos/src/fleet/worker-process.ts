import { Rowlock } from 'rowlock';
import type { JobEvent, Worker } from 'rowlock';
import { Journal } from './journal.js';
import type { FromWorker, ToWorker, WorkerSettings } from './messages.js';
import { healthEveryMs } from './messages.js';
import { handleWork } from './work.js';

/** One worker of the fleet: an ordinary process that uses the library as anybody does, and keeps a journal. */
class WorkerProcess {
  readonly #journal: Journal;
  readonly #rowlock: Rowlock;
  readonly #worker: Worker;
  readonly #telling: NodeJS.Timeout;

  constructor({ url, journal, leaseMs, maxBlockedMs, concurrency }: WorkerSettings) {
    this.#journal = new Journal(journal);
    this.#rowlock = new Rowlock({ connectionString: url, migrate: 'check' });
    this.#worker = this.#rowlock.worker({
      handlers: [handleWork(this.#journal)],
      queues: { chaos: { concurrency } },
      lease: leaseMs,
      maxBlocked: maxBlockedMs,
      stopGrace: '15s',
    });
    this.#worker.on('settled', (event) => this.#told('settled', event, event.outcome));
    this.#worker.on('leaseLost', (event) => this.#told('leaseLost', event));
    this.#worker.on('outcomeUnknown', (event) => this.#told('outcomeUnknown', event));
    this.#worker.on('registered', ({ workerId }) => send({ type: 'registered', workerId }));
    this.#telling = setInterval(() => this.#tellHealth(), healthEveryMs);
  }

  async start(): Promise<void> {
    await this.#worker.start();
    this.#tellHealth();
  }

  /** Nothing of this process's main thread moves: no handler, no timer, no answer of the server. */
  block(ms: number): void {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    send({ type: 'unblocked' });
  }

  async stop(): Promise<void> {
    await this.#worker.stop();
    await this.#rowlock.close();
    clearInterval(this.#telling);
    this.#tellHealth();
    this.#journal.close();
  }

  #tellHealth(): void {
    send({ type: 'health', health: this.#worker.health() });
  }

  #told(
    event: 'settled' | 'leaseLost' | 'outcomeUnknown',
    { id, claimNo }: JobEvent,
    outcome: string | null = null,
  ): void {
    this.#journal.write({ type: 'told', id, claimNo, event, outcome });
  }
}

function send(message: FromWorker): void {
  // The callback takes the error of a parent that is just gone.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

let running: WorkerProcess | undefined;

async function obey(message: ToWorker): Promise<void> {
  switch (message.type) {
    case 'begin':
      running = new WorkerProcess(message.settings);
      return running.start();
    case 'block':
      return running?.block(message.ms);
    case 'stop':
      await running?.stop();
      process.disconnect();
  }
}

process.on('message', (message: ToWorker) => {
  obey(message).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
});
// The campaign is gone, however it went: so is its fleet. After an orderly stop this ends the process as well.
process.on('disconnect', () => process.exit(0));
