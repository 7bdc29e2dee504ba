import assert from 'node:assert/strict';
import { receiveMessageOnPort } from 'node:worker_threads';
import { test } from 'node:test';
import { until } from '../testing/until.js';
import { answerIdentity, answerPassword } from './helper-answers.js';
import { MainSide } from './helper-thread/ask.js';
import type { FromHelper } from './helper-thread/protocol.js';

const settings = { config: { host: 'db' }, asksPassword: true, asksIdentity: false };

test('a password is asked for at each dialling, and may fail one of them', async () => {
  const posted: FromHelper[] = [];
  const thread = new MainSide((message) => posted.push(message));
  const { password } = thread.configure(settings, undefined);
  assert.ok(typeof password === 'function');
  const first = password();
  const second = password();
  assert.deepEqual(posted, [
    { type: 'ask-password', id: 1 },
    { type: 'ask-password', id: 2 },
  ]);
  const refused = await answerPassword({ password: () => Promise.reject(new Error('no token')) }, 2);
  const given = await answerPassword({ password: () => 'secret' }, 1);
  for (const answer of [refused, given]) if (answer.type === 'password') thread.answer(answer);
  assert.equal(await first, 'secret');
  await assert.rejects(Promise.resolve(second), /no token/);
});

test('a verdict on the identity of the server is signalled once it can be read', async () => {
  const { channel, line } = answerIdentity((host) => (host === 'db' ? undefined : new Error(`not ${host}`)));
  const answered = new Int32Array(line.signal);
  try {
    line.port.postMessage({ host: 'other', certificate: {} });
    await until(() => Atomics.load(answered, 0) === 1);
    assert.deepEqual(receiveMessageOnPort(line.port), { message: { problem: 'not other' } });
  } finally {
    channel.port1.close();
  }
});
