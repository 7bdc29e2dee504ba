import { once } from 'node:events';
import { CrewMember } from './crew-member.js';
import type { Orders } from './messages.js';

export interface CrewOptions {
  readonly url: string;
  readonly schema: string;
  /** Takes what a worker has to say to the user. */
  readonly onNote: (text: string) => void;
}

/** The worker processes of one run. None of them outlives it. */
export class Crew implements AsyncDisposable {
  readonly members: CrewMember[] = [];
  readonly #options: CrewOptions;
  readonly #lost = new AbortController();

  constructor(options: CrewOptions) {
    this.#options = options;
  }

  /** Aborted when a worker ends by itself. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  hire(): CrewMember {
    return this.#start('no');
  }

  /** Hires the worker that will be killed, and waits until it holds a job that it will not let go of. */
  async hireVictim(signal: AbortSignal): Promise<{ victim: CrewMember; jobId: string }> {
    const victim = this.#start('yes');
    const [jobId] = (await once(victim, 'lingers', { signal })) as [string];
    return { victim, jobId };
  }

  async dismiss(): Promise<void> {
    await Promise.all(this.members.filter(({ killed }) => !killed).map((member) => member.dismiss()));
    this.lost.throwIfAborted();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.members.map((member) => member.kill()));
  }

  #start(linger: Orders['CENSUS_LINGER']): CrewMember {
    const { url, schema, onNote } = this.#options;
    const name = `worker ${String(this.members.length + 1)}`;
    const member = new CrewMember(name, {
      CENSUS_DATABASE_URL: url,
      CENSUS_SCHEMA: schema,
      CENSUS_LINGER: linger,
    });
    member.on('says', (text) => onNote(`${name}: ${text}`));
    member.on('lost', (how) => this.#lost.abort(new Error(`${name} ended by itself (${how})`)));
    this.members.push(member);
    return member;
  }
}
