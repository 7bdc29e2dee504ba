import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { systemClock } from '../runtime/clock.js';
import { createTestDatabase, type TestDatabase } from '../testing/database.js';
import { poseAsPooler, without } from '../testing/server-messages.js';
import { startTcpProxy, type TcpProxy } from '../testing/tcp-proxy.js';
import { until } from '../testing/until.js';
import type { Ring } from './doorbell.js';
import { splitSettings } from './helper-settings.js';
import type { LeaseTiming } from './lease-keeper.js';
import { ThreadKeeper } from './thread-keeper.js';

const timing: LeaseTiming = { leaseMs: 1500, renewEveryMs: 300, maxBlockedMs: 60_000 };
const ring: Ring = { queue: 'mail', runAtUs: 1, count: 2, random: 3, id: null };
const ringSql = `select pg_notify('rowlock:rowlock', '["mail",1,2,3,null]')`;

let database: TestDatabase;
let sql: pg.Client;

before(async () => {
  database = await createTestDatabase();
  sql = new pg.Client({ connectionString: database.url });
  await sql.connect();
});

after(async () => {
  await sql.end();
  await database.drop();
});

interface Heard {
  readonly rings: Ring[];
  readonly dead: string[];
  readonly lost: Error[];
  readonly blocked: number[];
  readonly listening: boolean[];
  renewals: number;
  catchUps: number;
}

interface Held {
  readonly keeper: ThreadKeeper;
  readonly heard: Heard;
  readonly workerId: string;
  /** Until when the database says that the lease runs, in ms from now. */
  left(): Promise<number>;
}

interface Holding {
  readonly connection?: string;
  readonly timing?: Partial<LeaseTiming>;
}

/** A keeper of a newly registered worker, stopped at the end whatever happens. */
async function holding(options: Holding, work: (held: Held) => Promise<void>): Promise<void> {
  const connection = splitSettings(options.connection ?? database.url);
  assert.ok(connection !== null);
  const keeper = new ThreadKeeper({
    connection,
    schema: 'rowlock',
    timing: { ...timing, ...options.timing },
    clock: systemClock,
  });
  const heard = listenTo(keeper);
  const registeredAt = systemClock.now();
  const workerId = await register();
  keeper.boot();
  keeper.start(workerId, registeredAt);
  try {
    await work({ keeper, heard, workerId, left: () => leaseLeft(workerId) });
  } finally {
    await keeper.stop();
  }
}

/** The same, with a network in between that starts like `state`. */
async function throughProxy(
  work: (proxy: TcpProxy, held: Held) => Promise<void>,
  state: Partial<Pick<TcpProxy, 'mode' | 'filter'>> = {},
): Promise<void> {
  const proxy = Object.assign(await startTcpProxy(database.url), state);
  try {
    await holding({ connection: proxy.url }, (held) => work(proxy, held));
  } finally {
    await proxy.close();
  }
}

/** A ring that a listening session would have heard before the answers to two later renewals. */
async function ringsUnheard({ keeper, heard }: Pick<Held, 'keeper' | 'heard'>): Promise<void> {
  await sql.query(ringSql);
  const renewals = heard.renewals;
  await until(() => heard.renewals > renewals + 1);
  assert.deepEqual(heard.rings, []);
  assert.deepEqual(heard.listening, [false]);
  assert.equal(keeper.listening, false);
}

function listenTo(keeper: ThreadKeeper): Heard {
  const heard: Heard = {
    rings: [],
    dead: [],
    lost: [],
    blocked: [],
    listening: [],
    renewals: 0,
    catchUps: 0,
  };
  keeper.on({
    ring: (one) => heard.rings.push(one),
    dead: (workerId) => heard.dead.push(workerId),
    connectionLost: (error) => heard.lost.push(error),
    blocked: (ms) => heard.blocked.push(ms),
    listening: (listening) => heard.listening.push(listening),
    renewed: () => heard.renewals++,
    catchUp: () => heard.catchUps++,
  });
  return heard;
}

async function register(): Promise<string> {
  const { rows } = await sql.query<{ id: string }>(
    `insert into rowlock.worker (lease_until, lease_ms, pid, host, version, queues, kinds)
     values (clock_timestamp() + interval '1500 ms', 1500, 1, 'test', '0', '{mail}', '{}') returning id`,
  );
  return rows[0]?.id ?? '';
}

async function leaseLeft(workerId: string): Promise<number> {
  const { rows } = await sql.query<{ left: number }>(
    'select (extract(epoch from lease_until - clock_timestamp()) * 1000)::float8 as left from rowlock.worker where id = $1',
    [workerId],
  );
  return rows[0]?.left ?? -Infinity;
}

async function helperBackends(): Promise<number[]> {
  const { rows } = await sql.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and application_name = 'rowlock helper'`,
  );
  return rows.map(({ pid }) => pid);
}

function blockLoop(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test('renewal goes on while the event loop is blocked for three leases', () =>
  holding({}, async ({ keeper, heard, left }) => {
    await until(() => heard.renewals > 0);
    blockLoop(3 * timing.leaseMs);
    assert.ok(
      keeper.deadline() > systemClock.now(),
      'the deadline is known at once, before any message is read',
    );
    assert.ok((await left()) > 0);
    await until(() => heard.blocked.length > 0);
    assert.ok((heard.blocked[0] ?? 0) > 2.5 * timing.leaseMs);
  }));

test('renewal ends when the loop is blocked for longer than allowed, and resumes when it moves again', () =>
  holding({ timing: { maxBlockedMs: 600 } }, async ({ keeper, heard, left }) => {
    await until(() => heard.renewals > 0);
    blockLoop(3000);
    assert.ok(keeper.deadline() < systemClock.now());
    await until(() => keeper.deadline() > systemClock.now());
    assert.ok((await left()) > 0);
  }));

test('renewal tells how many live workers there are, and the place among them', () =>
  holding({}, ({ keeper }) =>
    holding({}, async ({ keeper: second }) => {
      await until(() => second.peers.rank === second.peers.count - 1 && second.peers.count > 1);
      await until(
        () => keeper.peers.count === second.peers.count && keeper.peers.rank === second.peers.rank - 1,
      );
    }),
  ));

test('renewal of a worker marked dead reports the death once, until another incarnation is adopted', () =>
  holding({}, async ({ keeper, heard, workerId }) => {
    await until(() => heard.renewals > 0);
    await sql.query('update rowlock.worker set dead_at = clock_timestamp() where id = $1', [workerId]);
    await until(() => heard.dead.length > 0);
    assert.deepEqual(heard.dead, [workerId]);
    const registeredAt = systemClock.now();
    const next = await register();
    const renewals = heard.renewals;
    keeper.adopt(next, registeredAt);
    await until(() => heard.renewals > renewals);
    await until(async () => (await leaseLeft(next)) > 1200);
    assert.deepEqual(heard.dead, [workerId]);
  }));

test('a connection terminated by the server is dialled again and listens again', () =>
  holding({}, async ({ keeper, heard }) => {
    await until(() => keeper.listening && heard.catchUps === 1);
    const [pid] = await helperBackends();
    await sql.query('select pg_terminate_backend($1)', [pid]);
    await until(() => heard.catchUps === 2);
    assert.deepEqual(heard.listening, [true, false, true]);
    assert.equal(heard.lost.length > 0, true);
    await sql.query(ringSql);
    await until(() => heard.rings.length > 0);
    assert.deepEqual(heard.rings, [ring]);
  }));

test('a connection into a black hole is given up within its time limit and replaced', () =>
  throughProxy(async (proxy, { keeper, heard }) => {
    await until(() => keeper.listening);
    proxy.mode = 'black-hole';
    const before = proxy.accepted;
    await until(() => heard.lost.length > 0);
    await until(() => proxy.accepted > before);
    assert.equal(keeper.listening, false);
    proxy.mode = 'pass';
    await until(() => keeper.listening && keeper.deadline() > systemClock.now(), { timeoutMs: 20_000 });
  }));

test('a connection refused at boot and for a while is dialled for ever', () =>
  throughProxy(
    async (proxy, { keeper, heard }) => {
      await until(() => heard.lost.length > 3);
      proxy.mode = 'pass';
      await until(() => keeper.listening);
    },
    { mode: 'refuse' },
  ));

test('a connection to a server that has become read-only is dropped', async () => {
  const readOnly = `alter database ${database.name} set default_transaction_read_only`;
  await sql.query(`${readOnly} = on`);
  try {
    await holding({}, async ({ heard, left }) => {
      await until(() => heard.lost.some((error) => 'code' in error && error.code === '25006'));
      await sql.query('set default_transaction_read_only = off');
      await sql.query(`${readOnly} = off`);
      await until(async () => heard.renewals > 0 && (await left()) > 0);
    });
  } finally {
    await sql.query(`alter database ${database.name} reset default_transaction_read_only`);
  }
});

test('a doorbell brings rings, and whatever else is on the channel is ignored', () =>
  holding({}, async ({ keeper, heard }) => {
    await until(() => keeper.listening);
    await sql.query(
      `select pg_notify('rowlock:rowlock', p) from unnest(array['x', '[]', '["proof","mine"]', '{"queue":1}']) p`,
    );
    await sql.query(ringSql);
    await until(() => heard.rings.length > 0);
    assert.deepEqual(heard.rings, [ring]);
  }));

test('a doorbell that is not heard ends in polling, and leaves no LISTEN behind', () =>
  throughProxy(
    async (proxy, { keeper, heard }) => {
      await until(() => heard.listening.length > 0);
      proxy.filter = undefined;
      await ringsUnheard({ keeper, heard });
      assert.equal(heard.catchUps, 0);
    },
    { filter: without('A') },
  ));

test('a doorbell behind a pooler is never listened for, while the lease is renewed', () =>
  throughProxy(
    async (_proxy, { keeper, heard, left }) => {
      await until(() => heard.listening.length > 0 && heard.renewals > 1);
      await ringsUnheard({ keeper, heard });
      assert.ok((await left()) > 0);
    },
    { filter: poseAsPooler },
  ));

test('after stop no connection is left', async () => {
  await holding({}, ({ keeper }) => until(() => keeper.listening).then(() => undefined));
  await until(async () => (await helperBackends()).length === 0);
});
