import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';

export type AttemptResult = 'completed' | 'failed' | 'snoozed' | 'aborted';

interface ClaimEntry {
  readonly token: number;
  readonly id: string;
  readonly claimNo: number;
}

export type JournalEntry =
  | ({ readonly type: 'start'; readonly attempt: number } & ClaimEntry)
  | ({ readonly type: 'end'; readonly result: AttemptResult } & ClaimEntry)
  | {
      /** What the engine told about the end of a claim. */
      readonly type: 'told';
      readonly id: string;
      readonly claimNo: number;
      readonly event: 'settled' | 'leaseLost' | 'outcomeUnknown';
      readonly outcome: string | null;
    };

export type JournalLine = JournalEntry & {
  readonly pid: number;
  /** Milliseconds of the machine's monotonic clock, the same in every process. */
  readonly mono: number;
  /** Milliseconds since 1970, by the clock that the server on this machine reads as well. */
  readonly at: number;
};

/** Milliseconds of the machine's monotonic clock. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1000n) / 1000;
}

/**
 * The independent record: one file a process, a line an entry, written before the handler goes on. Neither SIGKILL nor
 * a server that is down can take a line back, which a table on the server under fault could not promise.
 */
export class Journal {
  readonly #file: number;

  constructor(path: string) {
    this.#file = openSync(path, 'a');
  }

  write(entry: JournalEntry): void {
    writeSync(
      this.#file,
      `${JSON.stringify({ ...entry, pid: process.pid, mono: monotonicMs(), at: Date.now() })}\n`,
    );
  }

  close(): void {
    closeSync(this.#file);
  }
}

export function readJournal(path: string): JournalLine[] {
  // Killed before it could begin.
  if (!existsSync(path)) return [];
  const text = readFileSync(path, 'utf8');
  // A line cut short by SIGKILL was not written: its handler had not gone on.
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  return whole
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as JournalLine);
}
