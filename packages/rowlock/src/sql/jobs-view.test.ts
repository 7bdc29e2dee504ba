import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { defineJob } from '../job/define.js';
import { states } from '../job/state.js';
import { cancel, discard, snooze } from '../job/outcome.js';
import { type } from '../job/witness.js';
import { deferred } from '../runtime/deferred.js';
import { Scene } from '../testing/scene.js';
import { until } from '../testing/until.js';

const work = defineJob('work', { args: type<{ how: string }>() });

let scene: Scene;
before(async () => (scene = await Scene.open()));
after(() => scene.close());
beforeEach(() => scene.clear());

test('the view shows every job once, in each of its states', async () => {
  const goOn = deferred();
  const handlers = [
    work.handle(async ({ args }) => {
      if (args.how === 'running') await goOn.promise;
      if (args.how === 'retryable') throw new Error('no');
      if (args.how === 'scheduled') return snooze('1h');
      if (args.how === 'cancelled') return cancel('x');
      return args.how === 'discarded' ? discard('x') : undefined;
    }),
  ];
  await scene.working({ handlers }, async ({ rowlock, diary }) => {
    const ran = ['running', 'retryable', 'scheduled', 'cancelled', 'discarded', 'completed'];
    const { ids } = await rowlock.enqueueMany(ran.map((how) => work.with({ how })));
    await until(() => diary.settled.length === 5 && diary.started.length === 6);
    const delayed = await rowlock.enqueue(work, { how: 'delayed' }, { delay: '1h' });
    const waiting = await rowlock.enqueue(work, { how: 'elsewhere' }, { queue: 'elsewhere' });
    const rows = await scene.rows<{ id: string; state: string }>(
      'select id, state from rowlock.jobs order by id',
    );
    const expected = [
      ...ids.map((id, n) => ({ id, state: ran[n] ?? '' })),
      { id: delayed.id, state: 'scheduled' },
      { id: waiting.id, state: 'available' },
    ];
    assert.deepEqual(
      new Map(rows.map(({ id, state }) => [id, state])),
      new Map(expected.map(({ id, state }) => [id, state])),
    );
    assert.equal(rows.length, expected.length);
    const known: readonly string[] = states;
    assert.ok(rows.every(({ state }) => known.includes(state)));
    goOn.resolve();
  });
});
