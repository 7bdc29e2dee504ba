import type { CeilingEnqueue } from '../ceiling/ceiling.js';
import { ceilingName, checkCeiling, enqueueCeiling, prepareCeiling } from '../ceiling/ceiling.js';
import type { BenchDatabase } from '../host/bench-server.js';
import { argsOfLength } from '../processes/args.js';
import { withChildren } from '../processes/start-child.js';
import type { EnqueueTask } from '../processes/task.js';
import { rowlock } from '../systems/rowlock.js';
import type { System } from '../systems/system.js';
import type { LaneContext, LaneResult } from './lane.js';
import { mustBeRight } from './lane.js';
import type { Case, Throughput } from './throughput.js';
import { measureInTurn, plainMeasurements, throughputTable } from './throughput.js';

interface Way {
  readonly name: string;
  readonly how: EnqueueTask['how'];
  readonly script: CeilingEnqueue['script'];
  readonly inFlight: number;
  readonly rows: number;
  readonly calls: number;
}

interface Size {
  readonly name: string;
  readonly bytes: number;
  /** Fewer jobs the larger they are, so that every run writes some 100 MB at most. */
  readonly share: number;
}

const sizes: readonly Size[] = [
  { name: '100 B', bytes: 100, share: 1 },
  { name: '1 KB', bytes: 1024, share: 0.5 },
  { name: '10 KB', bytes: 10_240, share: 0.1 },
];

const ways: readonly Way[] = [
  { name: 'one by one, 1 in flight', how: 'one', script: 'enqueue_one', inFlight: 1, rows: 1, calls: 5000 },
  {
    name: 'one by one, 16 in flight',
    how: 'one',
    script: 'enqueue_one',
    inFlight: 16,
    rows: 1,
    calls: 60_000,
  },
  {
    name: 'in a caller’s transaction',
    how: 'transaction',
    script: 'enqueue_in_transaction',
    inFlight: 1,
    rows: 1,
    calls: 3000,
  },
  { name: 'bulk of 500', how: 'many', script: 'enqueue', inFlight: 1, rows: 500, calls: 240 },
  { name: 'bulk of 100k', how: 'many', script: 'enqueue', inFlight: 1, rows: 100_000, calls: 1 },
];

export async function enqueueLane(context: LaneContext): Promise<LaneResult> {
  const cases = casesFor(context);
  const measured = await measureInTurn(cases, context);
  return {
    notes: [
      'Args are JSON of the given length that does not compress. jobs/s counts jobs, or transactions for the rows of a caller.',
      `${rowlock.name} was given: the public API with every default, one process; one by one, calls that wait share a statement.`,
      `${ceilingName} was given: pgbench over TCP, simple protocol, as many clients as calls in flight, one INSERT a commit; in bulk the args are parsed once.`,
      'pg is the caller’s own transaction without a job: begin, one insert, commit through the driver, in the same kind of process.',
    ],
    tables: [throughputTable(cases, measured)],
    bars: [],
    measurements: plainMeasurements(measured),
  };
}

function casesFor(context: LaneContext): Case[] {
  if (!context.quick) return sizes.flatMap((size) => ways.flatMap((way) => trio(context, way, size)));
  return sizes.flatMap((size) =>
    ways
      .filter(({ name }) => size.bytes === 100 || name === 'bulk of 500')
      .flatMap((way) => trio(context, reduced(way), size)),
  );
}

function reduced(way: Way): Way {
  return way.calls === 1 ? { ...way, rows: way.rows / 5 } : { ...way, calls: Math.ceil(way.calls / 10) };
}

/** The ceiling, ours, and where the caller has a transaction of its own that transaction without us. */
function trio({ server }: LaneContext, way: Way, size: Size): Case[] {
  const fit = fitted(way, size);
  const work = `${way.name}, ${size.name}${fit.rows === way.rows ? '' : ` (${fit.rows.toLocaleString('en-US')} rows)`}`;
  const system = (how: EnqueueTask['how']) => () =>
    server.withDatabase((database) =>
      measureSystem(database, { ...fit, how, size, system: rowlock }, server),
    );
  const ceiling: Case = {
    system: ceilingName,
    work,
    against: null,
    measure: () => server.withDatabase((database) => measureCeiling(database, { ...fit, size }, server)),
  };
  const ours: Case = { system: rowlock.name, work, against: ceiling, measure: system(way.how) };
  if (way.how !== 'transaction' || size.bytes !== 100) return [ceiling, ours];
  const bare: Case = {
    system: 'pg',
    work: 'a caller’s transaction without a job',
    against: ceiling,
    measure: system('bare'),
  };
  return [ceiling, ours, bare];
}

function fitted(way: Way, { share }: Size): Way {
  return way.calls === 1
    ? { ...way, rows: Math.round(way.rows * share) }
    : { ...way, calls: Math.ceil((way.calls * share) / way.inFlight) * way.inFlight };
}

type Server = LaneContext['server'];

async function measureCeiling(
  database: BenchDatabase,
  run: Way & { size: Size },
  server: Server,
): Promise<Throughput> {
  await prepareCeiling(database);
  const { script, inFlight: clients, rows, calls, size } = run;
  const args = JSON.stringify(argsOfLength(size.bytes));
  const stop = await server.meter();
  const { seconds, transactions } = await enqueueCeiling(database, { script, clients, rows, calls, args });
  const cost = await stop();
  const jobs = transactions * rows;
  mustBeRight(await checkCeiling(database, { live: jobs, finished: 0 }));
  return { jobs, seconds, cost, clientCpuUs: NaN };
}

async function measureSystem(
  database: BenchDatabase,
  run: Way & { size: Size; system: System },
  server: Server,
): Promise<Throughput> {
  const { system, how, rows, calls, inFlight, size } = run;
  const warmUp = calls === 1 ? 0 : Math.min(200, Math.ceil(calls / 5));
  await system.prepare(database.url);
  await database.client.query(
    'create table orders (id bigint generated always as identity primary key, note text not null)',
  );
  const task: EnqueueTask = {
    ...{ do: 'enqueue', system: system.name, url: database.url, argsBytes: size.bytes },
    ...{ how, rows, calls, inFlight, warmUp },
  };
  return withChildren([task], async ([child]) => {
    if (child === undefined) throw new TypeError('no child');
    const stop = await server.meter();
    child.go();
    const { jobs, seconds, cpuUs } = await child.ended();
    const cost = await stop();
    const live = how === 'bare' ? 0 : jobs + warmUp * rows;
    mustBeRight(await system.check(database.client, { live, finished: 0, attempts: 1 }));
    return { jobs, seconds, cost, clientCpuUs: cpuUs };
  });
}
