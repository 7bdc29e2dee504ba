import { isLoss, isTransient } from '../db/errors.js';
import { messageOf } from '../job/message.js';
import { oneLine } from '../job/text.js';
import type { Logger } from '../observe/logger.js';

const maxCauseLength = 500;
const credentials = /\/\/[^/@\s]*@/g;

/** What the calls of a worker tell of its database. */
export class Contact {
  readonly #logger: Logger;
  readonly #onChange: (ok: boolean) => void;
  #ok = true;
  #cause: string | null = null;

  constructor(logger: Logger, onChange: (ok: boolean) => void) {
    this.#logger = logger;
    this.#onChange = onChange;
  }

  /** Whether the database answered the last call. */
  get ok(): boolean {
    return this.#ok;
  }

  /** What the last call that failed said; null once another has succeeded. Fit to be shown: it holds no credentials. */
  get cause(): string | null {
    return this.#cause;
  }

  /** The schema could not be looked at yet. */
  cannotStart(error: unknown): void {
    this.#logger.warn('the worker cannot start yet', { error: this.#note(error) });
  }

  failed(error: unknown): void {
    const lost = isLoss(error);
    const cause = this.#note(error);
    // Said once, not with every call that fails while the database is away.
    if (lost && !this.#ok) return;
    // Another transaction was in the way: the call is made again, and no job is the worse for it.
    if (isTransient(error)) return this.#logger.info('a call of the worker gave way', { error: cause });
    this.#logger.warn('a call of the worker to the database failed', { error: cause });
    if (!lost) return;
    this.#ok = false;
    this.#onChange(false);
  }

  answered(): void {
    this.#cause = null;
    if (this.#ok) return;
    this.#ok = true;
    this.#onChange(true);
  }

  #note(error: unknown): string {
    return (this.#cause = oneLine(messageOf(error).replace(credentials, '//…@'), maxCauseLength));
  }
}
