import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Messages, simpleQuery } from './messages.js';

function startup(): Buffer {
  const bytes = Buffer.alloc(9);
  bytes.writeInt32BE(9, 0);
  bytes.writeInt32BE(196_608, 4);
  return bytes;
}

test('messages of a client come whole, however the stream was cut', () => {
  const stream = Buffer.concat([startup(), simpleQuery('select 1'), simpleQuery('')]);
  for (let cut = 1; cut < stream.length; cut += 1) {
    const messages = new Messages('client');
    const found = [...messages.push(stream.subarray(0, cut)), ...messages.push(stream.subarray(cut))];
    assert.deepEqual(
      found.map(({ type }) => type),
      ['', 'Q', 'Q'],
    );
    assert.deepEqual(Buffer.concat(found.map(({ bytes }) => bytes)), stream);
  }
});
