import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { defineJob } from '../job/define.js';
import { type } from '../job/witness.js';
import { Scene } from '../testing/scene.js';

const mail = defineJob('mail', { args: type<{ to: string }>(), queue: 'post', priority: 3 });
const tick = defineJob('tick');

let scene: Scene;
before(async () => (scene = await Scene.open()));
after(() => scene.close());
beforeEach(() => scene.clear());

interface Stored {
  readonly id: string;
  readonly kind: string;
  readonly queue: string;
  readonly priority: number;
  readonly policy: unknown;
  readonly args: unknown;
  /** Seconds from enqueueing to the time it may run. */
  readonly wait: number;
}

function stored(): Promise<Stored[]> {
  return scene.rows<Stored>(
    'select id, kind, queue, priority, policy, args, extract(epoch from run_at - created_at)::float8 as wait from rowlock.job order by id',
  );
}

test('a job without options has the place and priority of its kind, and may run at once', async () => {
  const rowlock = scene.client();
  const { id } = await rowlock.enqueue(mail, { to: 'ann' });
  assert.match(id, /^\d+$/);
  const place = { queue: 'post', priority: 3, policy: null, wait: 0 };
  assert.deepEqual(await stored(), [{ id, kind: 'mail', args: { to: 'ann' }, ...place }]);
});

test('a kind without args or place of its own is stored by the defaults', async () => {
  const rowlock = scene.client();
  const { id } = await rowlock.enqueue(tick);
  const place = { queue: 'default', priority: 5, policy: null, wait: 0 };
  assert.deepEqual(await stored(), [{ id, kind: 'tick', args: {}, ...place }]);
});

test('every option of a job is stored with it', async () => {
  const rowlock = scene.client();
  const options = { queue: 'bulk', priority: 0, delay: '1.5h', maxAttempts: 2, timeout: '10s' } as const;
  await rowlock.enqueue(mail, { to: 'ann' }, options);
  const [row] = await stored();
  const { queue, priority, policy, wait } = row!;
  const own = { maxAttempts: 2, timeoutMs: 10_000 };
  assert.deepEqual(
    { queue, priority, policy, wait },
    { queue: 'bulk', priority: 0, policy: own, wait: 5400 },
  );
});

test('a job for a given instant may run then, to the microsecond; for one in the past, now', async () => {
  const rowlock = scene.client();
  await rowlock.enqueue(tick, undefined, { runAt: new Date('2100-01-01T00:00:00.123Z') });
  await rowlock.enqueue(tick, undefined, { runAt: '2100-01-01T01:00:00.123456+02:00' });
  await rowlock.enqueue(tick, undefined, { runAt: new Date(0) });
  const rows = await scene.rows<{ at: string }>(
    `select to_char(run_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') as at from rowlock.job order by id`,
  );
  assert.deepEqual(rows.slice(0, 2), [
    { at: '2100-01-01 00:00:00.123000' },
    { at: '2099-12-31 23:00:00.123456' },
  ]);
  assert.equal((await stored())[2]?.wait, 0);
});

test('a delay longer than the longest timer is kept', async () => {
  const rowlock = scene.client();
  const delays = [2 ** 31 - 1, 2 ** 31, 2 ** 32 + 5000, 400 * 86_400_000];
  await rowlock.enqueueMany(delays.map((delay) => tick.with(undefined, { delay })));
  const waits = (await stored()).map(({ wait }) => wait * 1000);
  assert.deepEqual(waits.map(Math.round), delays);
});

test('jobs of several kinds, queues and times are stored in one call, their ids in the order of the requests', async () => {
  const rowlock = scene.client();
  const { ids } = await rowlock.enqueueMany([
    mail.with({ to: 'ann' }),
    tick.with(undefined, { delay: '1h' }),
    mail.with({ to: 'bob' }, { queue: 'bulk', priority: 9 }),
    tick.with(),
  ]);
  const rows = await stored();
  const byId = new Map(rows.map((row) => [row.id, row]));
  assert.deepEqual(
    ids.map((id) => [byId.get(id)?.kind, byId.get(id)?.queue, byId.get(id)?.priority, byId.get(id)?.wait]),
    [
      ['mail', 'post', 3, 0],
      ['tick', 'default', 5, 3600],
      ['mail', 'bulk', 9, 0],
      ['tick', 'default', 5, 0],
    ],
  );
});

test('a hundred thousand jobs go in one call, all of them, in order', async () => {
  const rowlock = scene.client();
  const count = 100_000;
  const requests = Array.from({ length: count }, (_, n) => mail.with({ to: String(n) }));
  const { ids } = await rowlock.enqueueMany(requests);
  assert.equal(new Set(ids).size, count);
  const [first] = await scene.rows<{ jobs: number; apart: number }>(
    `select count(*)::int as jobs, count(*) filter (where (j.args->>'to')::int <> i.n - 1)::int as apart
     from rowlock.job j join unnest($1::bigint[]) with ordinality as i (id, n) on i.id = j.id`,
    [ids],
  );
  assert.deepEqual(first, { jobs: count, apart: 0 });
});

test('no requests are no jobs', async () => {
  assert.deepEqual(await scene.client().enqueueMany([]), { ids: [] });
});

test('concurrent calls are all stored, in the order in which they were made', async () => {
  const rowlock = scene.client();
  const calls = Array.from({ length: 500 }, (_, n) => rowlock.enqueue(mail, { to: String(n) }));
  const ids = (await Promise.all(calls)).map(({ id }) => id);
  const rows = await scene.rows<{ id: string }>('select id from rowlock.job order by run_at, id');
  assert.deepEqual(
    rows.map(({ id }) => id),
    ids,
  );
});

test('what cannot be stored is refused with its place before the database is touched', async () => {
  const rowlock = scene.client();
  const bad = rowlock.enqueue(mail, { to: 'nul \0' });
  const good = rowlock.enqueue(mail, { to: 'ann' });
  await assert.rejects(bad, { code: 'PAYLOAD_INVALID', path: 'args.to' });
  await good;
  await assert.rejects(rowlock.enqueue(mail, { to: 'x'.repeat(1_048_576) }), {
    code: 'PAYLOAD_INVALID',
    path: 'args',
  });
  await assert.rejects(rowlock.enqueueMany([mail.with({ to: 'ann' }), mail.with({ to: '\ud800' })]), {
    code: 'PAYLOAD_INVALID',
  });
  await assert.rejects(rowlock.enqueue(tick, undefined, { priority: 10 }), {
    code: 'CONFIG_INVALID',
    field: 'priority',
  });
  await assert.rejects(rowlock.enqueue(tick, undefined, { delai: 1 } as object), {
    code: 'CONFIG_INVALID',
    field: 'delai',
  });
  await assert.rejects(rowlock.enqueueMany([{} as never]), { code: 'CONFIG_INVALID', field: 'requests[0]' });
  assert.equal((await stored()).length, 1);
});

test('args of up to a mebibyte are stored as they are, whatever is in them', async () => {
  const rowlock = scene.client();
  const any = defineJob('any', { args: type<unknown>() });
  const values = [
    null,
    0,
    '',
    'x',
    [],
    [1],
    true,
    { __proto__: null, a: 1 },
    { deep: [{ er: ['ü€😀', '\u2028', '"\\'] }] },
  ];
  const proto = JSON.parse('{"__proto__": {"x": 1}}') as object;
  const large = 'é'.repeat(500_000);
  await rowlock.enqueueMany(
    [...values, proto, large, 7999, 2 ** 53 - 1, 1e-7].map((value) => any.with(value)),
  );
  const rows = await scene.rows<{ args: string }>('select args::text from rowlock.job order by id');
  assert.deepEqual(
    rows.map(({ args }) => JSON.parse(args) as unknown),
    [
      ...values.map((value) => JSON.parse(JSON.stringify(value)) as unknown),
      proto,
      large,
      7999,
      2 ** 53 - 1,
      1e-7,
    ],
  );
});

test('a client that cannot reach its database says so, and stores nothing', async () => {
  const rowlock = scene.client({ connectionString: 'postgres://127.0.0.1:1/none' });
  await assert.rejects(rowlock.enqueue(tick), { code: 'CONNECTION' });
  await assert.rejects(rowlock.enqueueMany([tick.with()]), { code: 'CONNECTION' });
});

test('calls made before close are answered, calls made after it are refused', async () => {
  const rowlock = scene.client();
  const calls = [rowlock.enqueue(tick), rowlock.enqueueMany([tick.with(), tick.with()])];
  const closed = rowlock.close();
  await assert.rejects(rowlock.enqueue(tick), { code: 'CLIENT_CLOSED' });
  await Promise.all(calls);
  await closed;
  assert.equal((await stored()).length, 3);
  assert.throws(() => rowlock.worker({ handlers: [tick.handle(() => undefined)] }), {
    code: 'CLIENT_CLOSED',
  });
});
