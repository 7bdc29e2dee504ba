import assert from 'node:assert/strict';
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import pg from 'pg';
import { defineJob } from './job/define.js';
import { type } from './job/witness.js';
import type { Rowlock } from './rowlock.js';
import { Scene } from './testing/scene.js';
import { until } from './testing/until.js';

const work = defineJob('work', { args: type<{ n: number }>() });
const some = (count: number) => Array.from({ length: count }, (_, n) => work.with({ n }));

let scene: Scene;
before(async () => (scene = await Scene.open()));
after(() => scene.close());
beforeEach(() => scene.clear());

async function backends(): Promise<string[]> {
  const rows = await scene.rows<{ name: string }>(
    `select application_name as name from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend' order by 1`,
  );
  return rows.map(({ name }) => name);
}

test('a client dials when it is first used; a worker adds one connection of its own to the pool', async () => {
  const rowlock = scene.client();
  assert.deepEqual(await backends(), []);
  await rowlock.enqueue(work, { n: 1 });
  assert.deepEqual(await backends(), ['rowlock']);
  await scene.working(
    { handlers: [work.handle(() => undefined)], queues: { default: { concurrency: 100 } } },
    async ({ worker, diary }) => {
      await until(() => worker.health().listening);
      await Promise.all(Array.from({ length: 500 }, (_, n) => rowlock.enqueue(work, { n })));
      await until(() => diary.settled.length === 501);
      const names = await backends();
      assert.equal(names.filter((name) => name === 'rowlock helper').length, 1);
      assert.ok(names.length <= 5, names.join());
    },
    rowlock,
  );
  await rowlock.close();
  await until(async () => (await backends()).length === 0);
});

test('no more handlers of a queue run at once than its concurrency, 10 unless said otherwise', async () => {
  const bulk = defineJob('bulk', { queue: 'bulk' });
  let running = 0;
  const most = { default: 0, bulk: 0 };
  const count = async (queue: keyof typeof most): Promise<void> => {
    running += 1;
    most[queue] = Math.max(most[queue], running);
    await new Promise(setImmediate);
    running -= 1;
  };
  const handlers = [work.handle(() => count('default')), bulk.handle(() => count('bulk'))];
  const rowlock = scene.client();
  await rowlock.enqueueMany(some(100));
  await scene.working({ handlers }, async ({ diary }) => {
    await until(() => diary.settled.length === 100);
  });
  await rowlock.enqueueMany(Array.from({ length: 100 }, () => bulk.with()));
  await scene.working({ handlers, queues: { default: {}, bulk: { concurrency: 3 } } }, async ({ diary }) => {
    await until(() => diary.settled.length === 100);
  });
  assert.deepEqual(most, { default: 10, bulk: 3 });
});

test('a database whose default is repeatable read changes nothing: claims beside each other do not fail', async () => {
  await scene.sql.query(`alter database ${scene.name} set default_transaction_isolation = 'repeatable read'`);
  const handlers = [work.handle(() => undefined)];
  await scene.working({ handlers }, async (one) => {
    await scene.working({ handlers }, async (two) => {
      await one.rowlock.enqueueMany(some(1000));
      await until(() => one.diary.settled.length + two.diary.settled.length === 1000);
      assert.deepEqual(scene.messages('warn'), []);
    });
  });
  await scene.sql.query(`alter database ${scene.name} reset default_transaction_isolation`);
});

test('sessions with other time zones and date styles see the same instants', async () => {
  await scene.sql.query(`alter database ${scene.name} set timezone = 'America/Los_Angeles'`);
  await scene.sql.query(`alter database ${scene.name} set datestyle = 'SQL, DMY'`);
  await scene.sql.query(`alter database ${scene.name} set intervalstyle = 'sql_standard'`);
  const seen: Date[] = [];
  await scene.working(
    { handlers: [work.handle(({ job }) => void seen.push(job.runAt))] },
    async ({ rowlock }) => {
      const { id } = await rowlock.enqueue(work, { n: 1 }, { runAt: '2020-06-01T12:00:00Z' });
      const later = await rowlock.enqueue(work, { n: 2 }, { runAt: '2100-06-01T12:00:00.123+05:30' });
      await scene.untilState(id, 'completed');
      assert.equal((await scene.job(later.id)).run_at.toISOString(), '2100-06-01T06:30:00.123Z');
    },
  );
  assert.ok(Math.abs((seen[0]?.getTime() ?? 0) - Date.now()) < 60_000);
  for (const name of ['timezone', 'datestyle', 'intervalstyle'])
    await scene.sql.query(`alter database ${scene.name} reset ${name}`);
});

async function worksIn(schema: string): Promise<void> {
  const rowlock = scene.client({ schema, migrate: 'auto' });
  const handlers = [work.handle(({ args }) => (args.n === 0 ? Promise.reject(new Error('no')) : undefined))];
  await scene.working(
    { handlers, poll: { floorEvery: '1h' } },
    async ({ worker, diary }) => {
      await until(() => worker.health().listening);
      const idle = `select last_value > extract(epoch from clock_timestamp()) * 1000000 as waits from ${quoted(schema)}.idle`;
      await until(async () => (await scene.rows<{ waits: boolean }>(idle))[0]?.waits);
      await rowlock.enqueue(work, { n: 0 });
      await rowlock.enqueue(work, { n: 1 });
      await scene.rows(`select ${quoted(schema)}.enqueue('work', '{"n": 2}')`);
      await until(() => diary.settled.length === 3, { timeoutMs: 2000 });
      await rowlock.queues.pause('default');
      await rowlock.kinds.pause('work');
      const states = `select state, count(*)::int as jobs from ${quoted(schema)}.jobs group by state order by state`;
      assert.deepEqual(await scene.rows(states), [
        { state: 'completed', jobs: 2 },
        { state: 'retryable', jobs: 1 },
      ]);
      assert.deepEqual(await scene.rows(`select * from ${quoted(schema)}.rotate_history()`), []);
    },
    rowlock,
  );
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

const schemas = [
  'Jobs',
  'with space',
  'to"quote',
  "it's",
  'rowlock_2',
  'select',
  `ü${'x'.repeat(61)}`,
  '$1 {a,b} %I',
];

test('the schema may have any name that PostgreSQL can hold', async () => {
  for (const schema of schemas) await worksIn(schema);
  assert.throws(() => scene.client({ schema: 'x'.repeat(64) }), { code: 'CONFIG_INVALID', field: 'schema' });
});

test('two schemas of one database know nothing of each other', async () => {
  const other = scene.client({ schema: 'apart', migrate: 'auto' });
  const seen: string[] = [];
  const handle = (name: string) => [work.handle(({ args }) => void seen.push(`${name} ${String(args.n)}`))];
  await scene.working({ handlers: handle('here') }, async ({ rowlock }) => {
    await scene.working(
      { handlers: handle('there') },
      async () => {
        await Promise.all([rowlock.enqueue(work, { n: 1 }), other.enqueue(work, { n: 2 })]);
        await until(() => seen.includes('here 1') && seen.includes('there 2'));
        assert.equal(
          seen.length >= 2 && !seen.includes('here 2') && !seen.includes('there 1'),
          true,
          seen.join(),
        );
      },
      other,
    );
  });
});

test('several clients of one process work side by side', async () => {
  const clients = Array.from({ length: 3 }, () => scene.client());
  const seen: number[] = [];
  const workers = clients.map((client) =>
    client.worker({ handlers: [work.handle(({ args }) => void seen.push(args.n))] }),
  );
  await Promise.all(workers.map((worker) => worker.start()));
  await Promise.all(clients.map((client, n) => client.enqueue(work, { n })));
  await until(() => seen.length === 3);
  await clients[0]?.close();
  await clients[1]?.enqueue(work, { n: 3 });
  await until(() => seen.includes(3));
  await Promise.all(clients.map((client) => client.close()));
});

interface Copy {
  readonly defineJob: typeof defineJob;
  readonly snooze: (delay: string) => never;
  readonly NonRetryableError: new (message: string) => Error;
  readonly Rowlock: typeof Rowlock;
}

/** Another copy of the package, as a second version in the same tree of dependencies would be. */
async function withCopy(use: (copy: Copy) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'rowlock-copy-'));
  try {
    const dist = fileURLToPath(new URL('.', import.meta.url));
    await cp(dist, join(folder, 'dist'), { recursive: true, filter: (path) => !path.endsWith('.test.js') });
    await writeFile(join(folder, 'package.json'), '{"type": "module"}');
    const dependencies = fileURLToPath(new URL('..', import.meta.resolve('pg/package.json')));
    await symlink(dependencies, join(folder, 'node_modules'));
    await use((await import(pathToFileURL(join(folder, 'dist', 'index.js')).href)) as Copy);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('definitions, outcomes and errors of another copy of the package are understood', async () => {
  await withCopy(async (copy) => {
    const sleepy = copy.defineJob('sleepy');
    const broken = copy.defineJob('broken');
    const handlers = [
      sleepy.handle(() => copy.snooze('1h')),
      broken.handle(() => Promise.reject(new copy.NonRetryableError('for good'))),
    ];
    await scene.working({ handlers }, async ({ rowlock }) => {
      const { ids } = await rowlock.enqueueMany([sleepy.with(), broken.with()]);
      await scene.untilState(ids[0]!, 'scheduled');
      assert.equal((await scene.untilState(ids[1]!, 'discarded')).reason, 'for good');
    });
    const other = new copy.Rowlock({ connectionString: scene.url });
    const { id } = await other.enqueue(work, { n: 1 });
    await scene.working({ handlers: [work.handle(() => undefined)] }, async () => {
      await scene.untilState(id, 'completed');
    });
    await other.close();
  });
});

test('a pool of the caller is used as it is, and stays open and clean', async () => {
  const pool = new pg.Pool({ connectionString: scene.url, max: 2, application_name: 'of the caller' });
  const rowlock = scene.client({ pool });
  await scene.working(
    { handlers: [work.handle(() => undefined)] },
    async ({ diary }) => {
      await rowlock.enqueueMany(some(50));
      await until(() => diary.settled.length === 50);
    },
    rowlock,
  );
  await rowlock.close();
  const settings = `select current_setting('search_path') as path, current_setting('lock_timeout') as lock, current_setting('jit') as jit`;
  const { rows: ours } = await pool.query(settings);
  const { rows: plain } = await scene.sql.query(settings);
  assert.deepEqual(ours, plain);
  assert.deepEqual(scene.messages('warn').length, 1, scene.messages('warn').join());
  assert.match(scene.messages('warn')[0] ?? '', /only a pool was given/);
  await pool.end();
});

test('an option of migrate that is misspelt migrates nothing', async () => {
  const misspelt = { dryrun: true } as object;
  await assert.rejects(scene.client().migrate(misspelt), { code: 'CONFIG_INVALID', field: 'dryrun' });
});
