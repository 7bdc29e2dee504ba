import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import type { Store } from '../host/store.js';
import { monotonicNow } from '../processes/monotonic.js';
import type { Child } from '../processes/start-child.js';
import { withChildren } from '../processes/start-child.js';
import type { HoldResult, HoldTask } from '../processes/task.js';
import type { Purpose, System } from '../systems/system.js';

export const held = 10;
const lookEvery = 10;
/** For the second worker to come to rest, and for one that lost its connections to notice. */
const settleDownMs = 1500;

export type Fault = 'SIGKILL' | 'SIGSTOP' | 'blocked event loop' | 'backends terminated';

export interface Blow {
  readonly system: System;
  readonly purpose: Extract<Purpose, 'latency' | 'rescue'>;
  readonly fault: Fault;
  /** For how long the other worker is watched. */
  readonly patienceMs: number;
}

export interface Aftermath {
  /** From the fault until the other worker had started every job; null: not all within the patience. */
  readonly seconds: number | null;
  /** Jobs that the other worker started. */
  readonly again: number;
  /** Jobs whose handler ran to its end twice. */
  readonly endedTwice: number;
  /** What is wrong with the rows in the end. */
  readonly problems: readonly string[];
}

type Holder = Child<HoldTask>;

/** One worker holds jobs, another is idle; something happens to the first. */
export async function measureBlow(store: Store, blow: Blow): Promise<Aftermath> {
  const { system, purpose } = blow;
  await system.prepare(store.url, purpose);
  const inspector = await system.inspect(store.url);
  const task: HoldTask = { do: 'hold', system: system.name, url: store.url, purpose, concurrency: held };
  try {
    const before = await backendsOf(store, system);
    return await withChildren([task], async ([first]) => {
      if (first === undefined) throw new TypeError('no child');
      first.go();
      await storeJobs(store, blow);
      if (!(await startedAll(first, 60_000))) throw new Error(`the worker did not start ${held} jobs`);
      const backends = (await backendsOf(store, system)).filter((pid) => !before.includes(pid));
      return withChildren([task], async ([second]) => {
        if (second === undefined) throw new TypeError('no child');
        second.go();
        await pause(settleDownMs);
        const begun = monotonicNow();
        await strike(store, first, { ...blow, backends });
        const all = await startedAll(second, blow.patienceMs);
        const seconds = all ? (monotonicNow() - begun) / 1000 : null;
        const results = await finish([first, second], blow.fault);
        const problems =
          all || blow.fault === 'backends terminated' ? await settledOnce(inspector, system) : [];
        return { seconds, ...tally(results), problems };
      });
    });
  } finally {
    await inspector.close();
  }
}

async function storeJobs({ url }: Store, { system, purpose }: Blow): Promise<void> {
  const producer = await system.producer(url, { keep: system.keeps[0], purpose });
  await producer.many(Array.from({ length: held }, (_, i) => ({ at: i })));
  await producer.close();
}

async function startedAll(child: Holder, patienceMs: number): Promise<boolean> {
  const deadline = monotonicNow() + patienceMs;
  for (;;) {
    if ((await child.sample()).count >= held) return true;
    if (monotonicNow() > deadline) return false;
    await pause(lookEvery);
  }
}

async function strike(
  store: Store,
  child: Holder,
  { fault, patienceMs, backends }: Blow & { readonly backends: readonly number[] },
): Promise<void> {
  if (fault === 'SIGKILL') child.kill();
  else if (fault === 'SIGSTOP') child.freeze();
  else if (fault === 'blocked event loop') child.block(patienceMs);
  else
    await asking(store, (client) =>
      client.query('select pg_terminate_backend(pid) from unnest($1::integer[]) pid', [backends]),
    );
}

/** Lets every handler end that still can. */
async function finish([first, second]: readonly [Holder, Holder], fault: Fault): Promise<HoldResult[]> {
  if (fault === 'SIGSTOP') first.thaw();
  const results = [await second.stop()];
  if (fault !== 'SIGKILL') results.unshift(await first.stop());
  return results;
}

function tally(results: readonly HoldResult[]): Pick<Aftermath, 'again' | 'endedTwice'> {
  const ended = results.flatMap((result) => result.ended);
  return { again: results.at(-1)?.started ?? NaN, endedTwice: ended.length - new Set(ended).size };
}

async function settledOnce(
  inspector: Awaited<ReturnType<System['inspect']>>,
  { keeps: [keep] }: System,
): Promise<string[]> {
  const deadline = monotonicNow() + 10_000;
  while ((await inspector.hasLive()) && monotonicNow() < deadline) await pause(lookEvery);
  return inspector.check({ live: 0, finished: keep === 'kept' ? held : 0, attempts: null });
}

async function backendsOf(store: Store, system: System): Promise<number[]> {
  if (system.store !== 'postgres') return [];
  return asking(store, async (client) => {
    const { rows } = await client.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
    );
    return rows.map(({ pid }) => pid);
  });
}

async function asking<T>({ url }: Store, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
