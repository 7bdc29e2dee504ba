import type { Connection } from './connection.js';

/** A connection on loan. */
export interface Loan {
  readonly connection: Connection;
  readonly sessionIsSetUp: boolean;
  /** Exactly once; a broken connection is not lent again. */
  giveBack(): void;
}

/** Where connections come from. */
export interface Connections {
  /** Rejects with a `ConnectionError` when none can be had within the time limit. */
  borrow(): Promise<Loan>;
  /** Resolves when every loan is back and no socket of ours is open. */
  close(): Promise<void>;
}

export interface ConnectionLimits {
  readonly connectTimeLimit: number;
  readonly callTimeLimit: number;
  readonly onConnectionLost: (error: Error) => void;
}
