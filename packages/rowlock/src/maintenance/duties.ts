import type { Executor } from '../db/executor.js';
import {
  claimDuty,
  forgetWorkers,
  moveLap,
  rotateHistory,
  summarizeHistory,
} from '../sql/generated/statements.gen.js';
import type { Rescued } from './rescue.js';
import { rescuePages, sweep } from './rescue.js';

/** A piece of upkeep that one process at a time does, whichever claims it when it is due. */
interface Duty {
  readonly name: string;
  readonly everyMs: number;
  readonly work: (database: Executor, position: string) => Promise<Rescued | undefined>;
}

/** 1024 pages (8 MiB) a second: a lap takes about two minutes per GiB of live jobs. */
const lapPages = 1024;

const duties: readonly Duty[] = [
  // For those whose sweeper died, and for incarnations that were ended by their own process.
  { name: 'sweep', everyMs: 2_000, work: sweep },
  { name: 'lap', everyMs: 1_000, work: stepLap },
  {
    name: 'rotate_history',
    everyMs: 60_000,
    work: (database) => database.run(rotateHistory, {}).then(() => undefined),
  },
  {
    name: 'summarize_history',
    everyMs: 10_000,
    work: (database) => database.run(summarizeHistory, {}).then(() => undefined),
  },
  {
    name: 'forget_workers',
    everyMs: 3_600_000,
    work: (database) => database.run(forgetWorkers, {}).then(() => undefined),
  },
];

/** Does the duties that are due and that no other process has taken. */
export async function doDuties(database: Executor, onRescued: (rescued: Rescued) => void): Promise<void> {
  for (const { name, everyMs, work } of duties) {
    const [claimed] = await database.run(claimDuty, { name, everyMs: String(everyMs) });
    const rescued = claimed === undefined ? undefined : await work(database, claimed.position);
    if (rescued !== undefined) onRescued(rescued);
  }
}

/** Goes round the whole table in small steps: finds the claims that every quicker way has missed. */
async function stepLap(database: Executor, position: string): Promise<Rescued> {
  const page = Number(position);
  const rescued = await rescuePages(database, page, lapPages);
  await database.run(moveLap, { position: String(page + lapPages) });
  return rescued;
}
