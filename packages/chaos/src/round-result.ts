import type { Recovery, Violation } from './checker/check.js';
import type { Hit } from './checker/load-evidence.js';

export interface RoundResult {
  readonly nemesis: string;
  readonly seed: number;
  readonly seconds: number;
  readonly strikes: readonly Hit[];
  readonly hits: number;
  /** Of them, those that struck while handlers ran. */
  readonly hitsWhileRunning: number;
  readonly jobs: number;
  readonly enqueuesInTransactions: number;
  readonly rolledBack: number;
  readonly attempts: number;
  readonly refused: number;
  readonly rescues: number;
  readonly unknown: number;
  readonly reincarnations: number;
  readonly recovery: Recovery;
  readonly boundMs: number;
  /** From the last fault until nothing was live. */
  readonly quietAfterMs: number;
  readonly looks: number;
  readonly violations: readonly Violation[];
}
