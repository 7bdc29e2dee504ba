import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { exponential, fixed, linear, type BackoffData } from '../job/backoff.js';
import { defaultPolicy, type Policy } from '../job/policy.js';
import { Scene } from '../testing/scene.js';

let scene: Scene;
before(async () => (scene = await Scene.open()));
after(() => scene.close());

interface Decision {
  readonly state: string | null;
  readonly seconds: number | null;
  readonly refund: boolean | null;
  readonly reason: string | null;
}

interface Case {
  readonly fact: object;
  readonly attempt?: number;
  readonly crashes?: number;
  readonly policy?: Partial<Policy>;
}

async function decide({ fact, attempt = 1, crashes = 0, policy = {} }: Case): Promise<Decision> {
  const own = { ...defaultPolicy, backoff: exponential({ base: '2s', jitter: 0 }).data, ...policy };
  const [decision] = await scene.rows<Decision>(
    `select state, extract(epoch from delay)::float8 as seconds, refund, reason from rowlock.decide($1, $2, $3, $4, 0.5)`,
    [own, fact, attempt, crashes],
  );
  assert.ok(decision);
  return decision;
}

/** `state`, seconds, whether the attempt is given back, reason. */
type Expected = [state: string, seconds: number, refund: boolean, reason: string | null];

const cases: [Case, Expected][] = [
  [{ fact: { outcome: 'completed' } }, ['completed', 0, false, null]],
  [{ fact: { outcome: 'cancel', reason: 'x' } }, ['cancelled', 0, false, 'x']],
  [{ fact: { outcome: 'discard', reason: 'x' } }, ['discarded', 0, false, 'x']],
  [{ fact: { outcome: 'discard' } }, ['discarded', 0, false, 'DISCARDED']],
  [{ fact: { outcome: 'snooze', delayMs: 1500 }, attempt: 10 }, ['scheduled', 1.5, true, null]],
  [{ fact: { outcome: 'release' }, attempt: 10 }, ['available', 0, true, null]],
  [{ fact: { outcome: 'park' }, attempt: 10 }, ['available', 0, true, null]],
  [{ fact: { outcome: 'failed' } }, ['retryable', 2, false, null]],
  [{ fact: { outcome: 'failed' }, attempt: 4 }, ['retryable', 16, false, null]],
  [{ fact: { outcome: 'failed', delayMs: 7000 }, attempt: 4 }, ['retryable', 7, false, null]],
  [{ fact: { outcome: 'failed' }, attempt: 9 }, ['retryable', 512, false, null]],
  [{ fact: { outcome: 'failed' }, attempt: 10 }, ['discarded', 0, false, 'MAX_ATTEMPTS']],
  [{ fact: { outcome: 'failed', delayMs: 1 }, attempt: 11 }, ['discarded', 0, false, 'MAX_ATTEMPTS']],
  [{ fact: { outcome: 'retry', delayMs: 0 } }, ['retryable', 0, false, null]],
  [{ fact: { outcome: 'retry', delayMs: 0 }, attempt: 10 }, ['discarded', 0, false, 'MAX_ATTEMPTS']],
  [{ fact: { outcome: 'crashed' } }, ['retryable', 0, false, null]],
  [{ fact: { outcome: 'crashed' }, crashes: 1 }, ['retryable', 2, false, null]],
  [{ fact: { outcome: 'crashed' }, crashes: 3 }, ['retryable', 8, false, null]],
  [{ fact: { outcome: 'crashed' }, crashes: 4 }, ['discarded', 0, false, 'POISON']],
  [{ fact: { outcome: 'crashed' }, attempt: 10 }, ['discarded', 0, false, 'MAX_ATTEMPTS']],
  [{ fact: { outcome: 'crashed' }, policy: { maxCrashes: 1 } }, ['discarded', 0, false, 'POISON']],
  [{ fact: { outcome: 'crashed', unstarted: true }, attempt: 10 }, ['retryable', 0, true, null]],
  [{ fact: { outcome: 'crashed', unstarted: true }, crashes: 1 }, ['retryable', 2, true, null]],
  [
    { fact: { outcome: 'crashed', unstarted: true }, attempt: 10, crashes: 4 },
    ['discarded', 0, false, 'POISON'],
  ],
  [{ fact: { outcome: 'crashed', unstarted: false }, attempt: 10 }, ['discarded', 0, false, 'MAX_ATTEMPTS']],
];

test('one function decides what follows an attempt', async () => {
  for (const [given, [state, seconds, refund, reason]] of cases)
    assert.deepEqual(await decide(given), { state, seconds, refund, reason }, JSON.stringify(given));
});

test('an outcome that is not known is no decision', async () => {
  assert.equal((await decide({ fact: { outcome: 'exploded' } })).state, null);
});

test('the default policy of SQL is the one of TypeScript', async () => {
  assert.deepEqual(await scene.rows('select rowlock.default_policy() as policy'), [
    { policy: defaultPolicy },
  ]);
});

async function delays(backoff: BackoffData, tries: readonly number[], jitter = 0.5): Promise<number[]> {
  const rows = await scene.rows<{ ms: number }>(
    'select rowlock.backoff_ms($1, n, $3) as ms from unnest($2::int[]) with ordinality as t (n, i) order by i',
    [backoff, tries, jitter],
  );
  return rows.map(({ ms }) => ms);
}

test('backoffs grow as their formulas say and stop at their limit, for a thousand attempts and more', async () => {
  const tries = [1, 2, 3, 12, 1000, 10_000];
  const steady = { jitter: 0 };
  assert.deepEqual(
    await delays(exponential(steady).data, tries),
    [2000, 4000, 8000, 3_600_000, 3_600_000, 3_600_000],
  );
  assert.deepEqual(
    await delays(linear(steady).data, tries),
    [30_000, 60_000, 90_000, 360_000, 3_600_000, 3_600_000],
  );
  assert.deepEqual(
    await delays(fixed(steady).data, tries),
    tries.map(() => 30_000),
  );
  assert.deepEqual(
    await delays(exponential({ base: 1, factor: 1000, max: '5200w', jitter: 0 }).data, [10_000]),
    [5200 * 604_800_000],
  );
});

test('jitter spreads a delay evenly to both sides, and never beyond the limit', async () => {
  const { data } = exponential({ base: '10s', max: '1h', jitter: 0.2 });
  assert.deepEqual(await delays(data, [1], 0), [8000]);
  assert.deepEqual(await delays(data, [1], 0.5), [10_000]);
  assert.deepEqual((await delays(data, [1], 0.999_999)).map(Math.round), [12_000]);
  assert.deepEqual(await delays(data, [100], 0.999_999), [3_600_000]);
  assert.deepEqual(await delays(fixed({ delay: '10s', jitter: 1 }).data, [1], 0), [0]);
});

test('the last ten errors are kept, in order', async () => {
  const [row] = await scene.rows<{ errors: number[] }>(`
    with recursive kept (n, errors) as (
      select 1, rowlock.remember_error(null, '1'::jsonb)
      union all
      select n + 1, rowlock.remember_error(errors, to_jsonb(n + 1)) from kept where n < 25
    )
    select errors from kept where n = 25`);
  assert.deepEqual(row?.errors, [16, 17, 18, 19, 20, 21, 22, 23, 24, 25]);
});
