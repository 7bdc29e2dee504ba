// A process with one worker: `worker-process.js URL MODE`. It writes a line for each thing that happens.
import { setTimeout as pause } from 'node:timers/promises';
import { defineJob } from '../job/define.js';
import { silentLogger } from '../observe/logger.js';
import { Rowlock } from '../rowlock.js';

const work = defineJob('work');

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** What the handler does in each mode. */
const handlers: Record<string, (signal: AbortSignal) => unknown> = {
  // Holds its job until the signal aborts, or for ever.
  hold: (signal) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
  // Ignores the signal; its timer keeps the process.
  ignore: () => pause(600_000),
  // Stands in the way of the event loop for three leases.
  block: () => {
    const end = performance.now() + 3000;
    while (performance.now() < end);
  },
  end: () => undefined,
};

const [url = '', mode = ''] = process.argv.slice(2);
const rowlock = new Rowlock({ connectionString: url, logger: silentLogger });

async function runWorker(): Promise<void> {
  const handler = work.handle(({ signal }) => handlers[mode]?.(signal) as undefined);
  const worker = rowlock.worker({ handlers: [handler], lease: '1s', stopGrace: 200 });
  worker.on('started', ({ id }) => say(`started ${id}`));
  worker.on('settled', ({ id, state }) => {
    say(`settled ${id} ${state}`);
    if (mode === 'end') void worker.stop();
  });
  worker.on('registered', () => say('registered'));
  await worker.run();
  say('stopped');
  await rowlock.close();
  say('closed');
}

if (mode === 'enqueue') {
  const { id } = await rowlock.enqueue(work);
  say(`enqueued ${id}`);
  // Nothing but sockets, which do not keep a process that only enqueues.
  say(`resources ${[...new Set(process.getActiveResourcesInfo())].sort().join(' ')}`);
} else await runWorker();
