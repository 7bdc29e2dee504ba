// One worker process of the census: runs jobs until it is told to stop, or is killed.
import { once } from 'node:events';
import { Rowlock, silentLogger } from 'rowlock';
import type { JobInfo, Logger } from 'rowlock';
import { countFile, countOrCancel } from './count-file.js';
import { leaseSeconds } from './lease.js';
import type { Message, Orders } from './messages.js';

const { CENSUS_DATABASE_URL, CENSUS_SCHEMA, CENSUS_LINGER } = process.env as unknown as Orders;

// Without its parent there is nobody to work for; but the channel to it must not keep a process whose work is done.
process.once('disconnect', () => process.exit(1));
process.channel?.unref();

const rowlock = new Rowlock({
  connectionString: CENSUS_DATABASE_URL,
  schema: CENSUS_SCHEMA,
  migrate: 'check',
  logger: tellingLogger(),
});

let lingering = CENSUS_LINGER === 'yes';

const worker = rowlock.worker({
  queues: { census: { concurrency: 10 } },
  lease: `${leaseSeconds}s`,
  handlers: [
    countFile.handle(async ({ args, job, signal }) => {
      if (lingering) await linger(job, signal);
      return countOrCancel(args.path, signal);
    }),
  ],
});

worker.on('registered', ({ workerId }) => tell({ tells: 'registered', workerId }));
await worker.run();
await rowlock.close();

/** Keeps the first job it is given, so that this process surely holds one when it is killed. */
async function linger(job: JobInfo, signal: AbortSignal): Promise<void> {
  lingering = false;
  tell({ tells: 'lingers', jobId: job.id });
  await once(signal, 'abort');
}

function tell(message: Message): void {
  process.send?.(message);
}

function tellingLogger(): Logger {
  const log: Logger['warn'] = (message, fields = {}) => {
    const details = Object.entries(fields).map(([name, value]) => `${name}: ${String(value)}`);
    tell({ tells: 'warning', text: details.length === 0 ? message : `${message} (${details.join(', ')})` });
  };
  return { ...silentLogger, warn: log, error: log };
}
