import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Events } from './events.js';

interface Named {
  came: number;
  went: string;
}

test('an event reaches those who listen to it, in the order in which they came', () => {
  const events = new Events<Named>(() => assert.fail());
  const heard: string[] = [];
  events.on('came', (n) => heard.push(`first ${String(n)}`));
  events.on('came', (n) => heard.push(`second ${String(n)}`));
  events.on('went', (text) => heard.push(text));
  events.emit('came', 1);
  assert.deepEqual(heard, ['first 1', 'second 1']);
});

test('a listener that throws is reported and disturbs nobody', () => {
  const errors: unknown[] = [];
  const events = new Events<Named>((error) => errors.push(error));
  const heard: number[] = [];
  const failure = new Error('listener');
  events.on('came', () => {
    throw failure;
  });
  events.on('came', (n) => heard.push(n));
  events.emit('came', 1);
  assert.deepEqual([heard, errors], [[1], [failure]]);
});

test('a listener is removed by what adding it gave; nobody listens then', () => {
  const events = new Events<Named>(() => assert.fail());
  assert.equal(events.has('came'), false);
  const heard: number[] = [];
  const remove = events.on('came', (n) => heard.push(n));
  assert.equal(events.has('came'), true);
  remove();
  remove();
  assert.equal(events.has('came'), false);
  events.emit('came', 1);
  assert.deepEqual(heard, []);
});

test('a listener that removes itself while it is told does not keep the others from being told', () => {
  const events = new Events<Named>(() => assert.fail());
  const heard: string[] = [];
  const remove = events.on('came', () => {
    heard.push('once');
    remove();
  });
  events.on('came', () => heard.push('always'));
  events.emit('came', 1);
  events.emit('came', 2);
  assert.deepEqual(heard, ['once', 'always', 'always']);
});
