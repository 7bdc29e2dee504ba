import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { fixed } from '../job/backoff.js';
import { defineJob } from '../job/define.js';
import { type } from '../job/witness.js';
import { Scene } from '../testing/scene.js';
import { until } from '../testing/until.js';

const mail = defineJob('mail', { args: type<{ to: string }>(), queue: 'post', priority: 3 });

let scene: Scene;
before(async () => (scene = await Scene.open()));
after(() => scene.close());
beforeEach(() => scene.clear());

async function enqueue(call: string): Promise<string> {
  const [row] = await scene.rows<{ id: string }>(`select rowlock.enqueue(${call}) as id`);
  return row?.id ?? '';
}

test('a kind that nobody has defined yet waits in the default queue', async () => {
  const id = await enqueue(`'unheard_of'`);
  const [row] = await scene.rows(
    `select queue, kind, priority, args, policy, run_at = created_at as now from rowlock.job where id = $1`,
    [id],
  );
  assert.deepEqual(row, {
    queue: 'default',
    kind: 'unheard_of',
    priority: 5,
    args: {},
    policy: null,
    now: true,
  });
});

test('a kind that a worker has defined goes to its queue with its priority, and runs', async () => {
  const seen: unknown[] = [];
  await scene.working(
    { handlers: [mail.handle(({ args, job }) => void seen.push(args.to, job.queue, job.priority))] },
    async () => {
      const id = await enqueue(`'mail', '{"to": "ann"}'`);
      await scene.untilState(id, 'completed');
      assert.deepEqual(seen, ['ann', 'post', 3]);
    },
  );
});

test('a trigger enqueues in the transaction that fired it', async () => {
  await scene.sql.query(`
    create table public.account (name text);
    create function public.welcome() returns trigger language plpgsql as $$
    begin
      perform rowlock.enqueue('mail', jsonb_build_object('to', new.name), delay => interval '1 hour');
      return new;
    end $$;
    create trigger welcome after insert on public.account for each row execute function public.welcome()`);
  await scene.sql.query(`begin; insert into public.account values ('ann'), ('bob'); rollback`);
  await scene.sql.query(`insert into public.account values ('eve')`);
  assert.deepEqual(
    await scene.rows(`select args, run_at - created_at = interval '1 hour' as later from rowlock.job`),
    [{ args: { to: 'eve' }, later: true }],
  );
});

test('queue, priority, time and policy may be given by name', async () => {
  const policy = '{"maxAttempts": 1, "backoff": {"type": "fixed", "delayMs": 5}}';
  await enqueue(
    `kind => 'mail', queue => 'bulk', priority => 0, run_at => '2100-01-01 00:00Z', policy => '${policy}'`,
  );
  const [row] = await scene.rows(`select queue, priority, run_at, policy from rowlock.job`);
  assert.deepEqual(row, {
    queue: 'bulk',
    priority: 0,
    run_at: new Date('2100-01-01T00:00Z'),
    policy: JSON.parse(policy) as unknown,
  });
});

test('run_at in the past or a negative delay is now', async () => {
  await enqueue(`'mail', run_at => '1999-01-01'`);
  await enqueue(`'mail', delay => '-1 year'`);
  assert.deepEqual(await scene.rows('select run_at = created_at as now from rowlock.job'), [
    { now: true },
    { now: true },
  ]);
});

const refusals: [call: string, message: RegExp][] = [
  [`''`, /kind must be 1 to 200 bytes/],
  [`null`, /kind must be 1 to 200 bytes/],
  [`repeat('ü', 101)`, /kind must be 1 to 200 bytes/],
  [`'mail', null`, /args must not be null/],
  [
    `'mail', ('[' || repeat('1e100000,', 1049) || '0]')::jsonb`,
    /args are \d+ bytes of JSON, more than 104857600/,
  ],
  [`'mail', queue => ''`, /queue must be 1 to 200 bytes/],
  [`'mail', priority => 10`, /priority 10 is not between 0 and 9/],
  [`'mail', priority => -1`, /priority -1 is not between 0 and 9/],
  [`'mail', run_at => 'infinity'`, /run_at must be a finite time/],
  [`'mail', run_at => '9999-01-01'`, /run_at must be a finite time/],
  [
    `'mail', run_at => '2199-12-31', delay => '100 years'`,
    /run_at plus delay must be between the years 1970 and 2299/,
  ],
  [`'mail', delay => '1000 years'`, /delay must be at most 100 years/],
];

test('what cannot work is refused with a sentence and a hint', async () => {
  for (const [call, message] of refusals) {
    await assert.rejects(enqueue(call), (error: Error & { code: string; hint?: string }) => {
      assert.match(error.message, message, call);
      assert.deepEqual([error.code, (error.hint ?? '').length > 10], ['22023', true], call);
      return true;
    });
  }
});

const badPolicies = [
  '[]',
  '"x"',
  'null',
  '{"maxAttempts": "many"}',
  '{"maxAttempts": 0}',
  '{"maxAttempts": 1.5}',
  '{"maxCrashes": null}',
  '{"timeoutMs": "1s"}',
  '{"timeoutMs": -5}',
  '{"attempts": 3}',
  '{"backoff": {"type": "fixed"}}',
  '{"backoff": {"type": "fixed", "delayMs": "soon"}}',
  '{"backoff": {"type": "random", "delayMs": 5}}',
  '{"backoff": {"type": "exponential", "baseMs": 5, "factor": 2}}',
  '{"backoff": {"type": "linear", "stepMs": 5, "maxMs": 1e300}}',
  '{"backoff": {"type": "fixed", "delayMs": 5, "jitter": 7}}',
  '{"backoff": 5}',
  '{"backoff": {"type": "fixed", "delayMs": 5, "delay": 5}}',
  '{"backoff": {"type": "fixed", "delayMs": 5, "maxMs": 5}}',
];

test('a policy that settle could not read is refused: it would stop the settling of other jobs', async () => {
  for (const policy of badPolicies) {
    await assert.rejects(
      enqueue(`'mail', policy => '${policy}'`),
      { code: '22023', message: /policy/ },
      policy,
    );
  }
});

test('every backoff that TypeScript can define is accepted as a policy', async () => {
  const { policy } = mail;
  for (const backoff of [policy.backoff, fixed().data, { type: 'linear', stepMs: 0, maxMs: 0, jitter: 1 }]) {
    const text = JSON.stringify({ ...policy, backoff });
    await enqueue(`'mail', policy => '${text}'`);
  }
});

test('a call rings for a worker that waits', async () => {
  const handlers = [mail.handle(() => undefined)];
  await scene.working({ handlers, poll: { floorEvery: '1h' } }, async ({ worker, diary }) => {
    await until(() => worker.health().listening);
    await until(async () => {
      const [row] = await scene.rows<{ waits: boolean }>(
        'select rowlock.somebody_waits(clock_timestamp()) as waits',
      );
      return row?.waits;
    });
    await enqueue(`'mail', '{"to": "ann"}'`);
    await until(() => diary.settled.length === 1);
  });
});

test('a transaction that goes on enqueueing holds one epoch, its first; a savepoint gives its own back', async () => {
  const { sql } = scene;
  const heldEpochs = async (): Promise<number> => {
    const { rowCount } = await sql.query(
      `select from pg_locks where locktype = 'advisory' and mode = 'ShareLock' and pid = pg_backend_pid()`,
    );
    return rowCount ?? 0;
  };
  const setting = `'rowlock.entered_' || to_hex(rowlock.epoch_class())`;
  await sql.query('begin');
  await sql.query('savepoint before');
  await sql.query('select rowlock.enter()');
  assert.equal(await heldEpochs(), 1);
  await sql.query('rollback to savepoint before');
  assert.equal(await heldEpochs(), 0);
  await sql.query('select rowlock.enter()');
  assert.equal(await heldEpochs(), 1);
  await sql.query('rollback to savepoint before');
  // As if entered in an earlier second: the present one is not held as well.
  await sql.query(`select set_config(${setting}, '1', true)`);
  await sql.query('select rowlock.enter()');
  assert.equal(await heldEpochs(), 0);
  await sql.query('commit');
  await sql.query('begin');
  await sql.query('select rowlock.enter()');
  assert.equal(await heldEpochs(), 1);
  await sql.query('rollback');
});

test('nobody can put a job where no pass could pass', async () => {
  const id = await enqueue(`'held', delay => '1h'`);
  for (const runAt of ['infinity', '-infinity', '1960-01-01', '2400-01-01']) {
    const held = scene.sql.query('update rowlock.job set run_at = $1 where id = $2', [runAt, id]);
    await assert.rejects(held, { code: '23514' });
  }
});
