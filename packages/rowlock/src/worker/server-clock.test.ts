import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandClock } from '../testing/hand-clock.js';
import { ServerClock } from './server-clock.js';

const startedAt = 1_000_000_000;
const noon = 1_764_500_000_000_000;

test('the database has a clock of its own, known once it has answered', async () => {
  const clock = new HandClock();
  const server = new ServerClock(clock);
  assert.equal(server.now(), -Infinity);
  assert.equal(server.hear({ clock: noon, sentAt: clock.now(), startedAt }), 'none');
  assert.equal(server.now(), noon);
  await clock.advance(250);
  assert.equal(server.now(), noon + 250_000);
});

test('an answer that was long under way is not taken for a clock that went back', async () => {
  const clock = new HandClock();
  const server = new ServerClock(clock);
  server.hear({ clock: noon, sentAt: clock.now(), startedAt });
  const sentAt = clock.now();
  await clock.advance(5000);
  // Read by the server right after the question was sent, heard five seconds later.
  assert.equal(server.hear({ clock: noon + 1000, sentAt, startedAt }), 'none');
  assert.ok(server.now() <= noon + 5_000_000);
});

test('an answer that was long under way does not blur what a prompt one told, but drift does in time', async () => {
  const clock = new HandClock();
  const server = new ServerClock(clock);
  server.hear({ clock: noon, sentAt: clock.now(), startedAt });
  const sentAt = clock.now();
  await clock.advance(100);
  server.hear({ clock: noon + 1000, sentAt, startedAt });
  assert.equal(server.now(), noon + 100_000 - 50);
  assert.ok((server.latest() ?? 0) >= noon + 100_000);
});

test('a clock that drifts by less than a millisecond has not gone back; one that loses more has', async () => {
  const clock = new HandClock();
  const server = new ServerClock(clock);
  server.hear({ clock: noon, sentAt: clock.now(), startedAt });
  await clock.advance(1000);
  assert.equal(server.hear({ clock: noon + 999_500, sentAt: clock.now(), startedAt }), 'none');
  await clock.advance(1000);
  assert.equal(
    server.hear({ clock: noon - 3_600_000_000, sentAt: clock.now(), startedAt }),
    'clock went back',
  );
  assert.equal(server.now(), noon - 3_600_000_000);
  assert.equal(server.hear({ clock: noon - 3_600_000_000, sentAt: clock.now(), startedAt }), 'none');
});

test('a clock that jumps ahead is noticed and followed', async () => {
  const clock = new HandClock();
  const server = new ServerClock(clock);
  assert.equal(server.latest(), null);
  server.hear({ clock: noon, sentAt: clock.now(), startedAt });
  assert.equal(server.latest(), noon + 1000);
  const jumped = noon + 3_600_000_000;
  assert.equal(server.hear({ clock: jumped, sentAt: clock.now(), startedAt }), 'clock went forward');
  assert.equal(server.now(), jumped);
  await clock.advance(100);
  assert.equal(server.hear({ clock: jumped + 100_500, sentAt: clock.now(), startedAt }), 'none');
});

test('the latest time the clock can show counts from when it was asked', async () => {
  const clock = new HandClock();
  const server = new ServerClock(clock);
  const sentAt = clock.now();
  await clock.advance(5000);
  server.hear({ clock: noon, sentAt, startedAt });
  assert.equal(server.now(), noon);
  assert.equal(server.latest(), noon + 5_001_000);
});

test('another start time is another server, whatever its clock says', () => {
  const clock = new HandClock();
  const server = new ServerClock(clock);
  server.hear({ clock: noon, sentAt: clock.now(), startedAt });
  const reading = { clock: noon + 1, sentAt: clock.now(), startedAt: startedAt + 1 };
  assert.equal(server.hear(reading), 'another server');
  assert.equal(server.hear(reading), 'none');
});
