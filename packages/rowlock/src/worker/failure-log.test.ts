import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fact } from '../job/fact.js';
import type { LogFields, Logger } from '../observe/logger.js';
import { silentLogger } from '../observe/logger.js';
import { HandClock } from '../testing/hand-clock.js';
import { claimOf } from '../testing/scripted-claims.js';
import { FailureLog } from './failure-log.js';

function failed(message = 'no'): Fact {
  return { outcome: 'failed', error: { name: 'Error', message, stack: '' } };
}

class Stage {
  readonly clock = new HandClock();
  readonly lines: (readonly [level: string, message: string, fields: LogFields])[] = [];
  readonly #logger: Logger = {
    ...silentLogger,
    info: (message, fields = {}) => void this.lines.push(['info', message, fields]),
    warn: (message, fields = {}) => void this.lines.push(['warn', message, fields]),
  };
  readonly log = new FailureLog(this.#logger, this.clock);
}

test('a discarded job is a warning, an attempt to be followed by another is information, the rest is silence', () => {
  const { log, lines } = new Stage();
  const claim = claimOf({ id: '7', kind: 'mail', queue: 'post', attempt: 3 });
  const job = { kind: 'mail', id: '7', queue: 'post', attempt: 3 };
  log.ended(claim, failed('no 1'), 'retryable');
  log.ended(claim, failed('no 2'), 'discarded');
  log.ended(claim, { outcome: 'retry', delayMs: 0 }, 'discarded');
  log.ended(claim, { outcome: 'discard', reason: 'no such user' }, 'discarded');
  log.ended(claim, { outcome: 'retry', delayMs: 0 }, 'retryable');
  log.ended(claim, { outcome: 'cancel', reason: 'no' }, 'cancelled');
  log.ended(claim, { outcome: 'completed' }, 'completed');
  const discarded = 'a job was discarded';
  assert.deepEqual(lines, [
    ['info', 'an attempt failed and is followed by another', { ...job, error: 'no 1' }],
    ['warn', discarded, { ...job, reason: 'MAX_ATTEMPTS', error: 'no 2' }],
    ['warn', discarded, { ...job, reason: 'MAX_ATTEMPTS' }],
    ['warn', discarded, { ...job, reason: 'no such user' }],
  ]);
});

test('whatever a job says stays one short line', () => {
  const { log, lines } = new Stage();
  const hostile = `one\n{"level":"error"}\r\u001b[2K\u2028${'x'.repeat(5000)}`;
  log.ended(claimOf(), { ...failed(hostile), outcome: 'discard', reason: hostile }, 'discarded');
  const { reason, error } = lines[0]?.[2] ?? {};
  for (const text of [reason, error]) {
    assert.match(String(text), /^one \{"level":"error"\} {2}\[2K x+…$/);
    assert.equal(String(text).length, 500);
  }
});

test('of many failures of a kind in a second a few are told, and then how many more there were', async () => {
  const { log, lines, clock } = new Stage();
  for (let n = 0; n < 1000; n += 1) {
    log.ended(claimOf({ kind: 'mail' }), failed(), 'discarded');
    log.ended(claimOf({ kind: 'mail' }), failed(), 'retryable');
  }
  log.ended(claimOf({ kind: 'other' }), failed(), 'discarded');
  assert.deepEqual([lines.length, lines.at(-1)?.[2]['kind']], [11, 'other']);
  await clock.advance(1000);
  assert.deepEqual(lines.slice(11), [
    ['warn', 'more jobs were discarded', { kind: 'mail', count: 995 }],
    ['info', 'more attempts failed', { kind: 'mail', count: 995 }],
  ]);
  log.ended(claimOf({ kind: 'mail' }), failed(), 'discarded');
  assert.deepEqual([lines.length, lines.at(-1)?.[1]], [14, 'a job was discarded']);
  await clock.advance(1000);
  assert.deepEqual([lines.length, clock.pending], [14, 0]);
});

test('what was not told one by one is counted at the end at the latest', () => {
  const { log, lines, clock } = new Stage();
  for (let n = 0; n < 7; n += 1) log.ended(claimOf({ kind: 'mail' }), failed(), 'discarded');
  log.stop();
  assert.deepEqual(lines.at(-1), ['warn', 'more jobs were discarded', { kind: 'mail', count: 2 }]);
  assert.equal(clock.pending, 0);
});
