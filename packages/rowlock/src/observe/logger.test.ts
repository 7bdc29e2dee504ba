import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { LoggerOptions } from './logger.js';
import { silentLogger, stderrLogger, unfailing } from './logger.js';

function capture(options: LoggerOptions = {}): { lines: string[]; logger: ReturnType<typeof stderrLogger> } {
  const lines: string[] = [];
  const logger = stderrLogger({ write: (line) => lines.push(line), now: () => new Date(0), ...options });
  return { lines, logger };
}

test('messages below the level are dropped; the level is warn unless said', () => {
  const { lines, logger } = capture();
  logger.debug('a');
  logger.info('b');
  logger.warn('c', { queue: 'mail' });
  logger.error('d');
  assert.deepEqual(lines, [
    '{"time":"1970-01-01T00:00:00.000Z","level":"warn","message":"c","queue":"mail"}',
    '{"time":"1970-01-01T00:00:00.000Z","level":"error","message":"d"}',
  ]);
  const all = capture({ level: 'debug' });
  all.logger.debug('a');
  assert.equal(all.lines.length, 1);
});

test('a field cannot pass for the message, the level or the time', () => {
  const { lines, logger } = capture();
  logger.warn('true', { message: 'false', level: 'debug', time: 'never' });
  assert.deepEqual(JSON.parse(lines.join()), {
    time: '1970-01-01T00:00:00.000Z',
    level: 'warn',
    message: 'true',
  });
});

test('errors are written with their code and cause, a BigInt as text', () => {
  const { lines, logger } = capture();
  const error = Object.assign(new Error('outer', { cause: new Error('inner') }), { code: 'EPIPE' });
  logger.warn('failed', { error, id: 5n });
  const parsed = JSON.parse(lines.join()) as {
    error: { message: string; code: string; cause: { message: string } };
    id: string;
  };
  assert.equal(parsed.error.message, 'outer');
  assert.equal(parsed.error.code, 'EPIPE');
  assert.equal(parsed.error.cause.message, 'inner');
  assert.equal(parsed.id, '5');
});

test('fields that cannot be read cost only themselves', () => {
  const { lines, logger } = capture();
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  logger.warn('still told', cyclic);
  assert.equal(
    lines.join(),
    '{"time":"1970-01-01T00:00:00.000Z","level":"warn","message":"still told","fields":"unreadable"}',
  );
});

test('a line holds no control character and stays one line of JSON', () => {
  const control = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
  const { lines, logger } = capture();
  const code = fc.integer({ min: 0, max: 0x2070 });
  const text = fc.array(code).map((codes) => String.fromCharCode(...codes));
  fc.assert(
    fc.property(text, (message) => {
      logger.warn(message, { [message]: message });
      const line = lines.pop() ?? '';
      assert.equal(control.test(line), false);
      assert.equal((JSON.parse(line) as { message: string }).message, message);
    }),
  );
});

test('the silent logger takes everything', () => {
  for (const level of ['debug', 'info', 'warn', 'error'] as const) {
    assert.doesNotThrow(() => {
      silentLogger[level]('x', { level });
    });
  }
});

test('a logger of the caller that throws disturbs nobody', () => {
  const seen: string[] = [];
  const broken = (message: string): void => {
    seen.push(message);
    throw new Error('disk full');
  };
  const logger = unfailing({ debug: broken, info: broken, warn: broken, error: broken });
  for (const level of ['debug', 'info', 'warn', 'error'] as const) logger[level](level);
  assert.deepEqual(seen, ['debug', 'info', 'warn', 'error']);
});
