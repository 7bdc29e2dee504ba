import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { pause, systemClock } from './clock.js';

test('a timer longer than Node can hold fires when it is due, not at once', () => {
  mock.timers.enable();
  try {
    const wait = 2 ** 32 + 5000;
    let fired = 0;
    systemClock.after(wait, () => fired++);
    mock.timers.tick(2 ** 31 - 1);
    mock.timers.tick(2 ** 31 - 1);
    assert.equal(fired, 0);
    mock.timers.tick(5002);
    assert.equal(fired, 1);
  } finally {
    mock.timers.reset();
  }
});

test('a cancelled timer does not fire', () => {
  mock.timers.enable();
  try {
    let fired = 0;
    const timer = systemClock.after(10, () => fired++);
    timer.cancel();
    mock.timers.tick(20);
    assert.equal(fired, 0);
  } finally {
    mock.timers.reset();
  }
});

test('a pause ends with the signal', async () => {
  const controller = new AbortController();
  const pausing = pause(systemClock, 3_600_000, controller.signal);
  controller.abort();
  await pausing;
  await pause(systemClock, 3_600_000, controller.signal);
});
