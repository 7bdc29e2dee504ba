import { setTimeout as pause } from 'node:timers/promises';
import type { BenchDatabase } from '../host/bench-server.js';
import type { Cost } from '../host/store.js';
import type { ReceiveResult, ReceiveTask } from '../processes/task.js';
import type { System } from '../systems/system.js';
import type { Holder } from './hold.js';
import { hold } from './hold.js';
import type { Offer, Processes } from './offered.js';
import { measureOffer } from './offered.js';

/** Jobs a call. */
export const rows = 20;

/** How the time is divided: windows while a snapshot is held, and windows after. */
export interface Course {
  readonly ms: number;
  readonly held: number;
  readonly after: number;
  /** The last windows of the hold, which are compared between holders. */
  readonly tail: number;
}

/** How the database looks at the end of a window. */
export interface WindowState {
  readonly backlog: number;
  readonly deadTuples: number;
  readonly bytes: number;
}

export interface Hold {
  readonly system: string;
  readonly holder: Holder;
  readonly offered: number;
  readonly latency: Omit<ReceiveResult, 'together'>;
  /** Of the last windows of the hold. */
  readonly end: ReceiveResult['all'];
  /** Of the last half of the time after it. */
  readonly recovered: ReceiveResult['all'];
  /** Stored and not started when the hold ended. */
  readonly endBacklog: number;
  readonly windows: readonly WindowState[];
  readonly cost: Cost;
  readonly problems: readonly string[];
}

export interface Plan {
  readonly system: System;
  readonly holder: Holder;
  readonly perSecond: number;
  readonly course: Course;
}

export async function measureHold(database: BenchDatabase, plan: Plan): Promise<Hold> {
  const { system, holder, course, perSecond } = plan;
  const windows = windowsOf(course);
  const offer: Offer = {
    ...{ system, purpose: 'load', everyMs: (1000 * rows) / perSecond, rows },
    ...{ seconds: (windows.count * course.ms) / 1000, windows },
    ...{ delayMs: 0, pollOnly: false, failFirst: false },
  };
  await system.prepare(database.url, 'load');
  const release = await holdBy(database, plan);
  try {
    const { watched, latency, ...run } = await measureOffer(database, offer, (processes) =>
      watchWindows({ database, release, course, ...processes }),
    );
    const { together, ...rest } = latency;
    const [end = rest.all, recovered = rest.all] = together;
    const endBacklog = watched[course.held - 1]?.backlog ?? NaN;
    return {
      ...run,
      endBacklog,
      system: system.name,
      holder,
      latency: rest,
      end,
      recovered,
      windows: watched,
    };
  } finally {
    await release();
  }
}

function windowsOf({ ms, held, after, tail }: Course): ReceiveTask['windows'] {
  const count = held + after;
  return {
    count,
    ms,
    together: [
      [held - tail, held],
      [held + Math.floor(after / 2), count],
    ],
  };
}

/** @returns what ends the hold, when it is called first */
async function holdBy(
  database: BenchDatabase,
  { system, holder, course }: Plan,
): Promise<() => Promise<void>> {
  const release = await hold(database, {
    holder,
    seconds: (course.held * course.ms) / 1000,
    enqueue: async (tx) => {
      const producer = await system.producer(database.url, { keep: system.keeps[0], purpose: 'load' });
      await producer.inTransaction(tx, {});
      await producer.close();
    },
  });
  let released: Promise<void> | undefined;
  return () => (released ??= release());
}

interface Watched extends Processes {
  readonly database: BenchDatabase;
  readonly release: () => Promise<void>;
  readonly course: Course;
}

/** Looks at the end of each window but the last, in which the processes may be gone; ends the hold when its time is up. */
async function watchWindows({
  database,
  release,
  course,
  offerer,
  receiver,
}: Watched): Promise<WindowState[]> {
  const states: WindowState[] = [];
  const begun = performance.now();
  for (let window = 1; window < course.held + course.after; window += 1) {
    await pause(Math.max(0, begun + window * course.ms - performance.now()));
    const offered = (await offerer.sample()).count;
    const started = (await receiver.sample()).count;
    const { rows: found } = await database.client.query<{ dead: string; bytes: string }>(
      'select coalesce(sum(n_dead_tup), 0) as dead, pg_database_size(current_database()) as bytes from pg_stat_all_tables',
    );
    states.push({
      backlog: Math.max(0, offered - started),
      deadTuples: Number(found[0]?.dead),
      bytes: Number(found[0]?.bytes),
    });
    if (window === course.held) await release();
  }
  return states;
}
