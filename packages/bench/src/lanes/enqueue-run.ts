import { checkCeiling, enqueueCeiling, prepareCeiling } from '../ceiling/ceiling.js';
import type { CeilingEnqueue } from '../ceiling/ceiling.js';
import type { BenchDatabase } from '../host/bench-server.js';
import type { Store } from '../host/store.js';
import { argsOfLength } from '../processes/args.js';
import { withChildren } from '../processes/start-child.js';
import type { EnqueueResult, EnqueueTask } from '../processes/task.js';
import type { System } from '../systems/system.js';
import { mustBeRight } from './lane.js';
import type { Throughput } from './throughput.js';

export interface Way {
  readonly name: string;
  readonly how: 'one' | 'many' | 'transaction';
  readonly script: CeilingEnqueue['script'];
  readonly inFlight: number;
  readonly rows: number;
  readonly calls: number;
}

export interface Enqueue extends Way {
  readonly argsBytes: number;
}

export async function measureCeiling(database: BenchDatabase, enqueue: Enqueue): Promise<Throughput> {
  await prepareCeiling(database);
  const { script, inFlight: clients, rows, calls, argsBytes } = enqueue;
  const args = JSON.stringify(argsOfLength(argsBytes));
  const stop = await database.meter();
  const { seconds, transactions } = await enqueueCeiling(database, { script, clients, rows, calls, args });
  const cost = await stop();
  const jobs = transactions * rows;
  mustBeRight(await checkCeiling(database, { live: jobs, finished: 0 }));
  return { jobs, seconds, cost, clientCpuUs: NaN };
}

export async function measureSystem(
  store: Store,
  enqueue: Enqueue & { readonly system: System },
): Promise<Throughput> {
  const { system, how } = enqueue;
  await system.prepare(store.url, 'throughput');
  const inspector = await system.inspect(store.url);
  try {
    const ran = await measureCalls(store, { ...enqueue, how, system: system.name });
    mustBeRight(await inspector.check({ live: ran.stored, finished: 0, attempts: 1 }));
    return ran;
  } finally {
    await inspector.close();
  }
}

/** The same calls through the driver alone: a row of the caller's, one of the ceiling's jobs, or both. */
export async function measureDriver(
  database: BenchDatabase,
  enqueue: Omit<Enqueue, 'how'> & { readonly how: 'caller' | 'insert' | 'both' },
): Promise<Throughput> {
  await prepareCeiling(database);
  const ran = await measureCalls(database, { ...enqueue, system: null });
  const live = enqueue.how === 'caller' ? 0 : ran.stored;
  mustBeRight(await checkCeiling(database, { live, finished: 0 }));
  return ran;
}

type Calls = Omit<Enqueue, 'how' | 'name' | 'script'> & Pick<EnqueueTask, 'how' | 'system'>;

async function measureCalls(
  store: Store,
  { system, how, rows, calls, inFlight, argsBytes }: Calls,
): Promise<Throughput & { readonly stored: number }> {
  const warmUp = calls === 1 ? 0 : Math.min(200, Math.ceil(calls / 5));
  const task: EnqueueTask = {
    ...{ do: 'enqueue', system, url: store.url, argsBytes },
    ...{ how, rows, calls, inFlight, warmUp },
  };
  return withChildren([task], async ([child]) => {
    if (child === undefined) throw new TypeError('no child');
    const stop = await store.meter();
    child.go();
    const { jobs, seconds, cpuUs }: EnqueueResult = await child.ended();
    const cost = await stop();
    return { jobs, seconds, cost, clientCpuUs: cpuUs, stored: jobs + warmUp * rows };
  });
}
