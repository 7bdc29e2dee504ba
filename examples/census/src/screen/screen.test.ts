import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { PlainScreen } from './plain-screen.js';
import { bar, standingLine, standingLines } from './progress-lines.js';
import type { Standing } from './progress-lines.js';
import { screenOn } from './screen-on.js';

const standing: Standing = {
  done: 1_234,
  total: 5_000,
  rate: 987.6,
  workers: [
    { name: 'worker 1', done: 234, held: 28, killed: true },
    { name: 'worker 2', done: 1_000, held: 1, killed: false },
  ],
};

function terminal(columns: number): NodeJS.WriteStream {
  const out = Object.assign(new PassThrough(), { isTTY: true, columns, rows: 24, hasColors: () => false });
  return out as unknown as NodeJS.WriteStream;
}

/** All that was written since the last call: one read gives a part of it from Node 26 on. */
function written(out: { read(): unknown }): string {
  const parts: Buffer[] = [];
  for (let part = out.read(); part instanceof Buffer; part = out.read()) parts.push(part);
  return Buffer.concat(parts).toString();
}

test('a bar fills in steps of an eighth of a cell', () => {
  assert.equal(bar(0, 4), '····');
  assert.equal(bar(1, 4), '████');
  assert.equal(bar(0.5, 4), '██··');
  assert.equal(bar(1 / 32, 4), '▏···');
  assert.equal(bar(31 / 32, 4), '███▉');
  assert.equal(bar(-1, 2) + bar(7, 2), '··██');
});

test('the standing as a bar and a line per worker', () => {
  assert.deepEqual(standingLines(standing, 80), [
    '  █████████▉······························  1,234 / 5,000   24 %     988/s',
    '  worker 1    234 done  killed; 28 jobs to be rescued',
    '  worker 2  1,000 done  holds 1 job',
  ]);
});

test('no line is wider than the terminal, which would break the drawing over', () => {
  for (const columns of [10, 30, 50, 200])
    for (const line of standingLines(standing, columns)) assert.ok(line.length < columns, line);
});

test('the standing in one line', () => {
  assert.equal(
    standingLine(standing),
    '1,234 / 5,000   24 %     988/s  |  worker 1: 234 (killed, held 28)  worker 2: 1,000',
  );
});

test('a terminal draws over the standing, and says lines above it', () => {
  const out = terminal(80);
  const screen = screenOn(out);
  screen.say('first');
  assert.equal(written(out), 'first\n');
  screen.show(standing);
  const [hide = '', ...drawn] = written(out).split('  ');
  assert.equal(hide, '\x1b[?25l');
  screen.say('above');
  assert.equal(written(out), `\x1b[3A\r\x1b[0Jabove\n${['', ...drawn].join('  ')}`);
  screen.settle();
  assert.equal(written(out), '\x1b[?25h');
  screen.say('below');
  assert.equal(written(out), 'below\n');
});

test('elsewhere the standing is shown once in a while, and the last one in any case', () => {
  const out = new PassThrough();
  const screen = new PlainScreen(out, 60_000);
  screen.show(standing);
  screen.show({ ...standing, done: 2_000 });
  screen.show({ ...standing, done: 5_000 });
  screen.settle();
  const lines = written(out).trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => line.trim().slice(0, 13)),
    ['1,234 / 5,000', '5,000 / 5,000'],
  );
});
