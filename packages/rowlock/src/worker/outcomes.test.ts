import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { custom, exponential, fixed } from '../job/backoff.js';
import type { DefineJobOptions } from '../job/define.js';
import { defineJob } from '../job/define.js';
import { NonRetryableError } from '../job/errors.js';
import type { HandlerContext } from '../job/handler.js';
import { cancel, discard, retry, snooze } from '../job/outcome.js';
import type { StandardSchemaV1 } from '../job/standard-schema.js';
import { type } from '../job/witness.js';
import { Scene, type JobRow } from '../testing/scene.js';
import { until } from '../testing/until.js';
import type { SettledEvent } from './events.js';

let scene: Scene;
before(async () => (scene = await Scene.open()));
after(() => scene.close());
beforeEach(() => scene.clear());

type Run = (context: HandlerContext<unknown>) => unknown;
type Options = DefineJobOptions<StandardSchemaV1, unknown>;

interface Ended {
  readonly job: JobRow;
  readonly settled: readonly SettledEvent[];
  /** Seconds from the end of the attempt to the time of the next one, as the job has it. */
  readonly wait: number;
}

/** Enqueues one job, lets `run` have it until it is in this state, and tells how it went. */
async function end(state: string, run: Run, options: Options = {}): Promise<Ended> {
  const kind = defineJob('work', { args: type<unknown>(), output: type<unknown>(), ...options });
  let ended: Ended | undefined;
  await scene.working({ handlers: [kind.handle(run)] }, async ({ rowlock, diary }) => {
    const { id } = await rowlock.enqueue(kind, {});
    const job = await scene.untilState(id, state);
    ended = { job, settled: diary.settled, wait: (job.run_at.getTime() - Date.now()) / 1000 };
  });
  assert.ok(ended);
  return ended;
}

function failing(message = 'no'): Run {
  return () => {
    throw new Error(message);
  };
}

/** Within the time that a test may take. */
function about(seconds: number, expected: number): void {
  assert.ok(
    seconds <= expected && seconds > expected - 10,
    `${String(seconds)} s is not about ${String(expected)} s`,
  );
}

test('what a handler returns is the output of its job', async () => {
  const { job, settled } = await end('completed', () => ({ messageId: 'x', n: [1, null] }));
  assert.deepEqual(job.output, { messageId: 'x', n: [1, null] });
  assert.deepEqual([job.attempt, job.claim_no, job.errors, job.reason], [1, 1, null, null]);
  const event = { id: job.id, kind: 'work', queue: 'default', attempt: 1, claimNo: 1 };
  assert.deepEqual(settled, [{ ...event, outcome: 'completed', state: 'completed' }]);
});

test('a handler that returns nothing leaves no output', async () => {
  const { job } = await end('completed', () => undefined);
  const [row] = await scene.rows('select output is null as none from rowlock.finished where id = $1', [
    job.id,
  ]);
  assert.deepEqual(row, { none: true });
});

test('a job that fails is tried again after its backoff, and is discarded with its last attempt; ten errors are kept', async () => {
  const options = { maxAttempts: 12, backoff: fixed({ delay: 1, jitter: 0 }) };
  const { job, settled } = await end(
    'discarded',
    ({ job: { attempt } }) => failing(`no ${String(attempt)}`)({} as never),
    options,
  );
  assert.deepEqual([job.attempt, job.claim_no, job.crashes, job.reason], [12, 12, 0, 'MAX_ATTEMPTS']);
  const attempts = Array.from({ length: 10 }, (_, n) => n + 3);
  assert.deepEqual(
    job.errors?.map(({ attempt, claimNo, message }) => [attempt, claimNo, message]),
    attempts.map((n) => [n, n, `no ${String(n)}`]),
  );
  assert.match(job.errors?.[0]?.at ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  assert.deepEqual(
    settled.map(({ state }) => state),
    [...Array.from({ length: 11 }, () => 'retryable'), 'discarded'],
  );
  assert.deepEqual([settled[0]?.outcome, settled[0]?.error?.message], ['failed', 'no 1']);
});

test('the delay after a failure is the one of the backoff', async () => {
  const backoff = exponential({ base: '1h', factor: 3, max: '4h', jitter: 0 });
  const { job, wait } = await end('retryable', failing(), { backoff });
  about(wait, 3600);
  assert.deepEqual([job.attempt, job.errors?.length], [1, 1]);
});

test('a custom backoff chooses the delay in the worker', async () => {
  const backoff = custom((attempt, error) => ((error as Error).message === 'busy' ? '2h' : attempt), {
    fallback: fixed(),
  });
  const { wait } = await end('retryable', failing('busy'), { backoff });
  about(wait, 7200);
});

test('a job may have fewer attempts than its kind', async () => {
  const kind = defineJob('work', { maxAttempts: 5, backoff: fixed({ delay: 1 }) });
  await scene.working(
    { handlers: [kind.handle(() => Promise.reject(new Error('no')))] },
    async ({ rowlock }) => {
      const { id } = await rowlock.enqueue(kind, undefined, { maxAttempts: 2 });
      assert.equal((await scene.untilState(id, 'discarded')).attempt, 2);
    },
  );
});

test('a snoozed job is scheduled again, and the attempt is not counted', async () => {
  const { job, settled, wait } = await end('scheduled', () => snooze('1h'), { maxAttempts: 1 });
  about(wait, 3600);
  assert.deepEqual([job.attempt, job.claim_no, job.errors], [0, 1, null]);
  assert.deepEqual([settled[0]?.outcome, settled[0]?.state], ['snooze', 'scheduled']);
});

test('a job may be snoozed any number of times', async () => {
  let runs = 0;
  const { job } = await end('completed', () => (++runs <= 20 ? snooze(0) : undefined), { maxAttempts: 1 });
  assert.deepEqual([runs, job.attempt, job.claim_no], [21, 1, 21]);
});

test('a handler may ask for a retry at a time of its choice; the attempt counts, without an error', async () => {
  const { job, wait } = await end('retryable', () => retry({ in: '1h' }));
  about(wait, 3600);
  assert.deepEqual([job.attempt, job.errors], [1, null]);
});

test('a retry that is asked for in the last attempt discards the job', async () => {
  const { job } = await end('discarded', () => retry({ in: 1 }), { maxAttempts: 3 });
  assert.deepEqual([job.attempt, job.reason], [3, 'MAX_ATTEMPTS']);
});

test('a cancelled job is kept as cancelled, with the reason', async () => {
  const { job } = await end('cancelled', () => cancel('not wanted any more'));
  assert.deepEqual([job.reason, job.attempt, job.errors, job.output], ['not wanted any more', 1, null, null]);
});

test('a discarded job is kept until it is deleted, with the reason and its args', async () => {
  const { job } = await end('discarded', () => discard('no such user'), { keep: 'none', keepArgs: false });
  assert.deepEqual([job.reason, job.attempt, job.args], ['no such user', 1, {}]);
});

test('NonRetryableError discards the job at once, however deep it is thrown and whoever made the class', async () => {
  const first = await end('discarded', () => Promise.reject(new NonRetryableError('card expired')));
  assert.deepEqual([first.job.reason, first.job.attempt], ['card expired', 1]);
  assert.deepEqual(
    [first.job.errors?.[0]?.name, first.job.errors?.[0]?.code],
    ['NonRetryableError', 'NON_RETRYABLE'],
  );
  const foreign = Object.assign(new Error('of another copy'), { code: 'NON_RETRYABLE' });
  assert.equal((await end('discarded', () => Promise.reject(foreign))).job.reason, 'of another copy');
});

test('discarded jobs are logged, and so are failed attempts, a level below', async () => {
  await end('discarded', failing('no\nway'), { maxAttempts: 2, backoff: fixed({ delay: 0 }) });
  await until(() => scene.messages('warn').length > 0);
  const lines = scene.log.map(({ level, fields }) => [
    level,
    fields['attempt'],
    fields['reason'],
    fields['error'],
  ]);
  assert.deepEqual(lines, [
    ['info', 1, undefined, 'no way'],
    ['warn', 2, 'MAX_ATTEMPTS', 'no way'],
  ]);
});

test('the idempotency key is the same for all attempts, the claim number grows', async () => {
  const seen: [string, number, number][] = [];
  const { job } = await end('completed', ({ job: { idempotencyKey, claimNo, attempt } }) => {
    seen.push([idempotencyKey, claimNo, attempt]);
    return seen.length === 1 ? snooze(0) : seen.length === 2 ? retry({ in: 0 }) : undefined;
  });
  const key = `rowlock-${job.id}`;
  assert.deepEqual(seen, [
    [key, 1, 1],
    [key, 2, 1],
    [key, 3, 2],
  ]);
});
