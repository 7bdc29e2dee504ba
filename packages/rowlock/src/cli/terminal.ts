/** What a command may touch of the process that runs it. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Results: one line each, or a text of several. */
  out(text: string): void;
  /** Everything that is no result. */
  err(text: string): void;
}

/** 0: done; 1: it failed; 2: it was asked for in a way that means nothing. */
export type ExitCode = 0 | 1 | 2;

/** The command line itself is wrong. */
export class UsageError extends Error {}
