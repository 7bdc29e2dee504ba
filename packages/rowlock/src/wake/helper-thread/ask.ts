import { receiveMessageOnPort } from 'node:worker_threads';
import type { ClientConfig } from 'pg';
import { deferred, type Deferred } from '../../runtime/deferred.js';
import type { HelperSettings } from '../helper-settings.js';
import type { FromHelper, IdentityLine, ToHelper } from './protocol.js';

const verdictLimitMs = 5000;

type PasswordAnswer = Extract<ToHelper, { type: 'password' }>;

/** Puts the functions of the configuration, which could not be sent along, to the main side. */
export class MainSide {
  readonly #post: (message: FromHelper) => void;
  readonly #asked = new Map<number, Deferred<string>>();
  #lastId = 0;

  constructor(post: (message: FromHelper) => void) {
    this.#post = post;
  }

  configure({ config, asksPassword }: HelperSettings, identity: IdentityLine | undefined): ClientConfig {
    const asking: ClientConfig = { ...config };
    if (asksPassword) asking.password = () => this.#askPassword();
    if (identity !== undefined) {
      const tls = typeof asking.ssl === 'object' ? asking.ssl : {};
      asking.ssl = {
        ...tls,
        checkServerIdentity: (host, certificate) => askIdentity(identity, { host, certificate }),
      };
    }
    return asking;
  }

  answer({ id, password, problem }: PasswordAnswer): void {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    if (password === undefined) asked?.reject(new Error(problem ?? 'the password function gave no password'));
    else asked?.resolve(password);
  }

  #askPassword(): Promise<string> {
    const id = ++this.#lastId;
    const asked = deferred<string>();
    this.#asked.set(id, asked);
    this.#post({ type: 'ask-password', id });
    return asked.promise;
  }
}

function askIdentity({ port, signal }: IdentityLine, question: object): Error | undefined {
  const answered = new Int32Array(signal);
  Atomics.store(answered, 0, 0);
  while (receiveMessageOnPort(port) !== undefined);
  port.postMessage(question);
  Atomics.wait(answered, 0, 0, verdictLimitMs);
  const received: { message: { problem: string | null } } | undefined = receiveMessageOnPort(port);
  if (received === undefined) return new Error('checkServerIdentity did not answer in time');
  return received.message.problem === null ? undefined : new Error(received.message.problem);
}
