import type { Fact } from '../job/fact.js';
import type { State } from '../job/state.js';
import { oneLine } from '../job/text.js';
import type { LogFields, Logger } from '../observe/logger.js';
import type { Clock, Timer } from '../runtime/clock.js';
import type { Claim } from './claim.js';

type Level = 'warn' | 'info';

/** A second in which attempts of one kind have failed. */
interface Second {
  readonly level: Level;
  readonly kind: string;
  readonly timer: Timer;
  failures: number;
}

const maxLinesPerSecond = 5;
const maxTextLength = 500;

const messages = {
  warn: { one: 'a job was discarded', more: 'more jobs were discarded' },
  info: { one: 'an attempt failed and is followed by another', more: 'more attempts failed' },
} as const;

/** Logs jobs that are discarded and attempts that fail. Where a kind fails in masses it counts: a log can be drowned. */
export class FailureLog {
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #seconds = new Map<string, Second>();

  constructor(logger: Logger, clock: Clock) {
    this.#logger = logger;
    this.#clock = clock;
  }

  ended(claim: Claim, fact: Fact, state: State): void {
    if (state === 'discarded') this.#tell('warn', claim, { reason: reasonOf(fact), ...errorOf(fact) });
    else if (fact.error !== undefined) this.#tell('info', claim, errorOf(fact));
  }

  stop(): void {
    for (const second of this.#seconds.values()) this.#end(second);
  }

  #tell(level: Level, { kind, id, queue, attempt }: Claim, fields: LogFields): void {
    const second = this.#seconds.get(level + kind) ?? this.#begin(level, kind);
    second.failures += 1;
    if (second.failures > maxLinesPerSecond) return;
    this.#logger[level](messages[level].one, { kind, id, queue, attempt, ...fields });
  }

  #begin(level: Level, kind: string): Second {
    const timer = this.#clock.after(1000, () => this.#end(second));
    timer.unref();
    const second = { level, kind, timer, failures: 0 };
    this.#seconds.set(level + kind, second);
    return second;
  }

  #end({ level, kind, timer, failures }: Second): void {
    timer.cancel();
    this.#seconds.delete(level + kind);
    const count = failures - maxLinesPerSecond;
    if (count > 0) this.#logger[level](messages[level].more, { kind, count });
  }
}

/** As `decide` has it: only the last attempt discards a job for which its handler did not ask. */
function reasonOf({ outcome, reason = '' }: Fact): string {
  return outcome === 'discard' ? oneLine(reason, maxTextLength) : 'MAX_ATTEMPTS';
}

function errorOf({ error }: Fact): LogFields {
  return error === undefined ? {} : { error: oneLine(error.message, maxTextLength) };
}
