import { randomUUID } from 'node:crypto';
import { pause, type Clock } from '../../runtime/clock.js';
import { deferred, type Deferred } from '../../runtime/deferred.js';
import { proveListening, stopListening } from '../../sql/generated/statements.gen.js';
import { listenTo } from '../../sql/listen.js';
import { parseRing, type Ring } from '../doorbell.js';
import type { HelperSession } from './session.js';

const proofEveryMs = 30_000;
const proofLimitMs = 2000;
const proofPrefix = '["proof"';

type Verdict = 'heard' | 'deaf' | 'pooled';

export interface EarOptions {
  readonly clock: Clock;
  readonly channel: string;
  readonly onRing: (ring: Ring) => void;
  /** Told on each change; the first time also when it is false. */
  readonly onListening: (listening: boolean) => void;
  /** LISTEN began anew, so rings may have been missed before. */
  readonly onCatchUp: () => void;
}

/** Listens for rings, and believes that it hears only while it hears itself. */
export class Ear {
  readonly #options: EarOptions;
  #reported: boolean | undefined;
  #proof: { readonly payload: string; readonly heard: Deferred<Verdict> } | undefined;

  constructor(options: EarOptions) {
    this.#options = options;
  }

  hear(payload: string): void {
    if (payload.startsWith(proofPrefix)) {
      if (payload === this.#proof?.payload) this.#proof.heard.resolve('heard');
      return;
    }
    const ring = parseRing(payload);
    if (ring !== null) this.#options.onRing(ring);
  }

  /** Listens on this connection until it is gone. Never rejects. */
  async attend(session: HelperSession): Promise<void> {
    // A LISTEN behind a pooler would stay in a backend that serves others, and may even seem to be heard.
    let verdict: Verdict = session.pooled ? 'pooled' : 'deaf';
    while (!session.signal.aborted) {
      const before = verdict;
      if (verdict !== 'pooled') verdict = await this.#listen(session, verdict).catch(() => 'deaf');
      if (session.signal.aborted) break;
      if (verdict !== 'heard' && before !== 'pooled') await forgetChannel(session);
      this.#report(verdict === 'heard');
      if (verdict === 'heard' && before !== 'heard') this.#options.onCatchUp();
      await pause(this.#options.clock, proofEveryMs, session.signal);
    }
    if (this.#reported === true) this.#report(false);
  }

  async #listen(session: HelperSession, before: Verdict): Promise<Verdict> {
    const { channel, clock } = this.#options;
    const proof = { payload: JSON.stringify(['proof', randomUUID()]), heard: deferred<Verdict>() };
    this.#proof = proof;
    const settled = new AbortController();
    try {
      const [answer] = await session.inTurn(async (run) => {
        if (before !== 'heard') await run(listenTo(channel), {});
        return run(proveListening, { channel, payload: proof.payload });
      });
      if (answer?.backend !== session.backend) return 'pooled';
      const overdue = pause(clock, proofLimitMs, AbortSignal.any([settled.signal, session.signal]));
      return await Promise.race([proof.heard.promise, overdue.then((): Verdict => 'deaf')]);
    } finally {
      settled.abort();
      this.#proof = undefined;
    }
  }

  #report(listening: boolean): void {
    if (listening === this.#reported) return;
    this.#reported = listening;
    this.#options.onListening(listening);
  }
}

async function forgetChannel(session: HelperSession): Promise<void> {
  await session.inTurn((run) => run(stopListening, {})).catch(() => undefined);
}
