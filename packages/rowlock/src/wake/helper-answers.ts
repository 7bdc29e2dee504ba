import { MessageChannel } from 'node:worker_threads';
import type { PeerCertificate } from 'node:tls';
import { messageOf } from '../job/message.js';
import type { HelperCallbacks } from './helper-settings.js';
import type { IdentityLine, ToHelper } from './helper-thread/protocol.js';

/** Never rejects: a failing password function fails that dialling only. */
export async function answerPassword({ password }: HelperCallbacks, id: number): Promise<ToHelper> {
  try {
    const answer = await password?.();
    return { type: 'password', id, ...(answer !== undefined && { password: answer }) };
  } catch (error) {
    return { type: 'password', id, problem: messageOf(error) };
  }
}

interface IdentityQuestion {
  readonly host: string;
  readonly certificate: PeerCertificate;
}

/** Opens the line on which a thread that is waiting in the middle of a TLS handshake gets its verdict. */
export function answerIdentity(check: NonNullable<HelperCallbacks['checkServerIdentity']>): {
  readonly channel: MessageChannel;
  readonly line: IdentityLine;
} {
  const channel = new MessageChannel();
  const signal = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const answered = new Int32Array(signal);
  channel.port1.on('message', ({ host, certificate }: IdentityQuestion) => {
    channel.port1.postMessage({ problem: problemOf(check, { host, certificate }) });
    Atomics.store(answered, 0, 1);
    Atomics.notify(answered, 0);
  });
  // A port with a listener would keep the process alive by itself.
  channel.port1.unref();
  return { channel, line: { port: channel.port2, signal } };
}

function problemOf(
  check: NonNullable<HelperCallbacks['checkServerIdentity']>,
  { host, certificate }: IdentityQuestion,
): string | null {
  try {
    return check(host, certificate)?.message ?? null;
  } catch (error) {
    return messageOf(error);
  }
}
