import type { Executor } from '../db/executor.js';
import { markDeadWorkers, markSwept, rescue, unsweptWorkers } from '../sql/generated/statements.gen.js';

/** Pages looked through by one statement: about 30 ms of a table that is in memory. */
const pagesPerStep = 4096;

export interface Rescued {
  readonly jobs: number;
  readonly discarded: number;
}

/**
 * Marks workers dead whose lease has ended.
 * @param notAfter the latest time (microseconds) that the database's clock can show unless it jumped
 */
export async function markDead(database: Executor, workerId: string, notAfter: number): Promise<string[]> {
  const rows = await database.run(markDeadWorkers, { workerId, notAfter });
  return rows.map((row) => row.workerId);
}

/** If dead workers wait for a sweep, gives back what they hold: looks through the whole table, a step at a time. */
export async function sweep(database: Executor): Promise<Rescued> {
  const total = { jobs: 0, discarded: 0 };
  const [unswept] = await database.run(unsweptWorkers, {});
  if (unswept === undefined || unswept.workerIds.length === 0) return total;
  // A claim that commits behind the sweep is found by the lap.
  for (let page = 0; page <= unswept.pages; page += pagesPerStep) {
    const { jobs, discarded } = await rescuePages(database, page, pagesPerStep);
    total.jobs += jobs;
    total.discarded += discarded;
  }
  await database.run(markSwept, { workerIds: unswept.workerIds });
  return total;
}

/** Gives back the jobs in these pages whose worker is not alive. */
export async function rescuePages(database: Executor, page: number, pages: number): Promise<Rescued> {
  const rows = await database.run(rescue, {
    fromTid: `(${String(page)},0)`,
    toTid: `(${String(page + pages)},0)`,
  });
  return { jobs: rows.length, discarded: rows.filter((row) => row.state === 'discarded').length };
}
