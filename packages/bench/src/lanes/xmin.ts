import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import type { BenchDatabase } from '../host/bench-server.js';
import type { Child } from '../processes/start-child.js';
import { withChildren } from '../processes/start-child.js';
import type { OfferTask, ReceiveTask } from '../processes/task.js';
import type { Bar } from '../report/bars.js';
import { median } from '../report/statistics.js';
import { rowlock } from '../systems/rowlock.js';
import type { Hold, Holder, WindowState } from './hold.js';
import type { LaneContext, LaneResult } from './lane.js';
import { mustBeRight } from './lane.js';
import { untilCount } from './until-count.js';
import { summaryTable, windowTable } from './xmin-tables.js';

const perSecond = 4000;
const rows = 20;
const maxRatio = 1.5;

const holders: readonly Holder[] = ['nobody', 'a reader', 'a writer'];

export async function xminLane(context: LaneContext): Promise<LaneResult> {
  const windows = windowsOf(context.holdSeconds);
  const holds: Hold[] = [];
  for (let round = 1; round <= context.rounds; round += 1) {
    for (const holder of holders) {
      const hold = await context.server.withDatabase((database) => measureHold(database, holder, context));
      holds.push(hold);
      context.log(
        `round ${round}/${context.rounds}  held by ${holder}  end p99 ${hold.latency.tail.p99.toFixed(2)} ms`,
      );
    }
  }
  const tailSeconds = (windows.tail * windows.ms) / 1000;
  return {
    notes: [
      `${perSecond.toLocaleString('en-US')} jobs/s in bulks of ${rows} for ${context.holdSeconds} s, from one process to a worker in another with every default, history kept; ms from the call of enqueueMany to the start of the handler.`,
      'a reader: an idle REPEATABLE READ transaction that has read; a writer: one that has also written, so it holds an xid. Dead tuples of all tables as the server counts them; bytes of the whole database.',
      `"end" is the last ${tailSeconds} s of the hold. There is no ceiling: held is compared with unheld.`,
    ],
    tables: [summaryTable(holds), windowTable(holds.slice(-holders.length), windows.ms)],
    bars: barsOf(holds),
    measurements: holds,
  };
}

function windowsOf(seconds: number): ReceiveTask['windows'] {
  const count = seconds >= 120 ? Math.floor(seconds / 10) : Math.min(10, seconds);
  return {
    count,
    ms: (seconds / count) * 1000,
    tail: Math.min(Math.ceil(count / 2), seconds >= 120 ? 6 : count),
  };
}

function barsOf(holds: readonly Hold[]): Bar[] {
  const by = (holder: Holder): Hold[] => holds.filter((hold) => hold.holder === holder);
  const p99s = (holder: Holder): number[] => by(holder).map(({ latency }) => latency.tail.p99);
  return (['a reader', 'a writer'] as const).flatMap((holder): Bar[] => {
    const name = holder.slice(2);
    const ratio = median(p99s(holder)) / median(p99s('nobody'));
    const endBacklog = Math.max(...by(holder).map((hold) => hold.endBacklog));
    return [
      { name: `xmin_${name}_end_backlog`, value: endBacklog, op: '<', target: perSecond },
      { name: `xmin_${name}_end_p99_of_unheld`, value: ratio, op: '<=', target: maxRatio },
    ];
  });
}

async function measureHold(database: BenchDatabase, holder: Holder, context: LaneContext): Promise<Hold> {
  const place = { system: rowlock.name, url: database.url };
  const seconds = context.holdSeconds;
  const windows = windowsOf(seconds);
  const receive: ReceiveTask = {
    do: 'receive',
    ...place,
    pollOnly: false,
    failFirst: false,
    delayMs: 0,
    windows,
  };
  const everyMs = 1000 / (perSecond / rows);
  const offer: OfferTask = { do: 'offer', ...place, everyMs, rows, seconds, delayMs: null };
  await rowlock.prepare(database.url);
  await database.client.query('create table other (note text)');
  const release = await hold(database, holder);
  try {
    return await withChildren([receive], ([receiver]) =>
      withChildren([offer], async ([offerer]) => {
        if (receiver === undefined || offerer === undefined) throw new TypeError('no children');
        receiver.go();
        const stop = await context.server.meter();
        offerer.go();
        const states = watchWindows(database, { offerer, receiver, windows });
        // Reported where it is awaited; a failure before that has its own report.
        states.catch(() => undefined);
        const { offered } = await offerer.ended();
        const endBacklog = offered - (await receiver.sample()).count;
        const cost = await stop();
        await untilCount(receiver, offered);
        const latency = await receiver.stop();
        mustBeRight(await rowlock.check(database.client, { live: 0, finished: offered, attempts: 1 }));
        return { holder, offered, endBacklog, latency, windows: await states, cost };
      }),
    );
  } finally {
    await release();
  }
}

/** @returns what ends the hold */
async function hold({ url }: BenchDatabase, holder: Holder): Promise<() => Promise<void>> {
  if (holder === 'nobody') return () => Promise.resolve();
  const client = new Client({ connectionString: url, application_name: 'holder' });
  await client.connect();
  await client.query('begin isolation level repeatable read');
  await client.query('select count(*) from other');
  if (holder === 'a writer') await client.query("insert into other values ('held')");
  return async () => {
    await client.query('rollback');
    await client.end();
  };
}

interface Watched {
  readonly offerer: Child<OfferTask>;
  readonly receiver: Child<ReceiveTask>;
  readonly windows: ReceiveTask['windows'];
}

/** Looks at the end of each window but the last, in which the processes may be gone. */
async function watchWindows(
  { client }: BenchDatabase,
  { offerer, receiver, windows }: Watched,
): Promise<WindowState[]> {
  const states: WindowState[] = [];
  const begun = performance.now();
  for (let window = 1; window < windows.count; window += 1) {
    await pause(Math.max(0, begun + window * windows.ms - performance.now()));
    const offered = (await offerer.sample()).count;
    const started = (await receiver.sample()).count;
    const { rows: found } = await client.query<{ dead: string; bytes: string }>(
      'select coalesce(sum(n_dead_tup), 0) as dead, pg_database_size(current_database()) as bytes from pg_stat_all_tables',
    );
    states.push({
      backlog: Math.max(0, offered - started),
      deadTuples: Number(found[0]?.dead),
      bytes: Number(found[0]?.bytes),
    });
  }
  return states;
}
