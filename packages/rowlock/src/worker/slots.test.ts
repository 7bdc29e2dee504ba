import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Slots } from './slots.js';

const slotsOf = (concurrency: number, prefetch = 500): Slots =>
  new Slots({ index: 0, queue: 'default', concurrency, prefetch });

function answer(slots: Slots, jobs: number, characters = 10): void {
  slots.answered({ asked: slots.wanted(1000), jobs, characters });
}

test('as many jobs are claimed as slots are free, counting what runs, waits or is being claimed', () => {
  const slots = slotsOf(10);
  assert.equal(slots.wanted(1000), 10);
  slots.running = 3;
  slots.waiting = 2;
  slots.asked = 1;
  assert.equal(slots.wanted(1000), 4);
  slots.running = 10;
  assert.equal(slots.free, false);
  assert.equal(slots.wanted(1000), 0);
});

test('what a claim asks for counts until the claim is answered', () => {
  const slots = slotsOf(10);
  assert.equal(slots.ask(1000), 10);
  assert.equal(slots.asked, 10);
  assert.equal(slots.wanted(1000), 0);
});

test('quick jobs are claimed ahead, as many as start within 80 milliseconds', () => {
  const slots = slotsOf(10);
  slots.wanted(1000);
  slots.running = 100;
  for (let n = 0; n < 100; n += 1) slots.finish(0);
  // 100 jobs in 10 ms: 800 more are likely to start within 80 ms.
  assert.equal(slots.ask(1010), 410);
  assert.equal(slots.ask(1010), 400);
});

test('a queue that ran dry is still as quick as it was, for a while', () => {
  const slots = slotsOf(10);
  slots.wanted(1000);
  slots.running = 100;
  for (let n = 0; n < 100; n += 1) slots.finish(0);
  for (let now = 1010; now < 1090; now += 5) assert.equal(slots.wanted(now), 410);
  for (let now = 1090; now < 1140; now += 5) slots.wanted(now);
  assert.equal(slots.wanted(1140), 10);
});

test('slow jobs are not claimed ahead: they would wait here while another process is idle', () => {
  const slots = slotsOf(10);
  slots.wanted(1000);
  slots.running = 10;
  slots.finish(1000);
  assert.equal(slots.wanted(2000), 1);
});

test('handlers that began together end together, and say no more of the next ones than if they had not', () => {
  for (const [concurrency, ahead] of [
    [1, 0],
    [5, 4],
    [50, 40],
  ] as const) {
    const slots = slotsOf(concurrency);
    slots.wanted(1000);
    slots.running = concurrency;
    for (let n = 0; n < concurrency; n += 1) slots.finish(100);
    // Of 100 ms each, so many are likely to start within 80 ms.
    slots.ask(1002);
    assert.equal(slots.asked + slots.wanted(1002), concurrency + ahead);
  }
});

test('a claim asks for no more than prefetch, and two claims ahead are the most', () => {
  const slots = slotsOf(10, 50);
  slots.wanted(1000);
  slots.running = 1000;
  for (let n = 0; n < 1000; n += 1) slots.finish(0);
  assert.equal(slots.ask(1010), 50);
  assert.equal(slots.ask(1010), 50);
  assert.equal(slots.ask(1010), 10);
  assert.equal(slots.wanted(1010), 0);
  assert.equal(slotsOf(100, 20).wanted(1000), 20);
});

test('jobs with long args are claimed few at a time, but at least one', () => {
  const slots = slotsOf(100);
  assert.equal(slots.wanted(1000), 100);
  answer(slots, 4, 4 * 1_048_576);
  assert.equal(slots.wanted(1000), 8);
  answer(slots, 1, 100 * 1_048_576);
  assert.equal(slots.wanted(1000), 1);
  for (let n = 0; n < 12; n += 1) answer(slots, 10, 1000);
  assert.equal(slots.wanted(1000), 100);
  answer(slots, 0);
  assert.equal(slots.wanted(1000), 100);
});

test('after a claim that failed one job is claimed, soon half of what failed, and then slowly more', () => {
  const slots = slotsOf(1000, 1000);
  slots.shrink(400);
  const wanted: number[] = [];
  for (let answers = 0; answers < 8; answers += 1) {
    wanted.push(slots.wanted(1000));
    answer(slots, 0);
    slots.answered({ asked: 400, jobs: 400, characters: 10 });
    answer(slots, slots.wanted(1000));
  }
  assert.deepEqual(wanted, [1, 4, 16, 64, 200, 207, 214, 221]);
  for (let answers = 0; answers < 100; answers += 1) answer(slots, slots.wanted(1000));
  assert.equal(slots.wanted(1000), 1000);
});

test('a claim that got less than it asked for makes the queue wait', () => {
  const slots = slotsOf(10);
  slots.fellShort(slots.wakes);
  assert.equal(slots.eager, false);
  slots.wake();
  assert.equal(slots.eager, true);
});

test('a ring heard while a claim is under way is not forgotten when the claim comes back short', () => {
  const slots = slotsOf(10);
  const whenSent = slots.wakes;
  slots.wake();
  slots.fellShort(whenSent);
  assert.equal(slots.eager, true);
});
