import type { EmbeddedErrorCode } from './errors.js';
import type { Account } from './account.js';
import type { Program } from './program.js';

/** How a postmaster ends: SIGTERM waits for its clients, SIGINT rolls them back, SIGQUIT leaves recovery to the next start. */
export type EndSignal = 'SIGTERM' | 'SIGINT' | 'SIGQUIT';

export type Command =
  | { readonly do: 'create'; readonly prefix: string; readonly account: Account | null }
  | { readonly do: 'run'; readonly program: Program }
  | { readonly do: 'serve'; readonly program: Program; readonly dataDir: string; readonly endWith: EndSignal }
  | { readonly do: 'halt'; readonly signal: EndSignal };

export type Request = Command & { readonly id: number };

/** The value is the folder created, the pid of the postmaster, or nothing to tell. */
export type Reply =
  | { readonly id: number; readonly value: string }
  | { readonly id: number; readonly failure: { readonly code: EmbeddedErrorCode; readonly message: string } }
  | { readonly exited: number };
