import type { Nemesis, Yield } from './nemesis/nemesis.js';
import type { RoundResult } from './round-result.js';

export interface Bar {
  readonly name: string;
  readonly value: number;
  readonly atLeast: number;
}

export type Verdict = 'held' | 'violated' | 'void' | 'unfinished';

const leastOf: Readonly<Record<Yield, number>> = { refused: 10, rescues: 10, unknown: 5 };
const leastHits = 20;
const leastRolledBack = 0.05;

/** What must have happened for the absence of violations to mean anything. A selection is asked only for what it can cause. */
export function barsOf(nemeses: readonly Nemesis[], rounds: readonly RoundResult[]): Bar[] {
  const sum = (name: Yield | 'hitsWhileRunning' | 'rolledBack' | 'enqueuesInTransactions'): number =>
    rounds.reduce((total, round) => total + round[name], 0);
  const expected = (Object.keys(leastOf) as Yield[]).filter((name) =>
    nemeses.some(({ yields }) => yields.includes(name)),
  );
  return [
    { name: 'hits while jobs ran', value: sum('hitsWhileRunning'), atLeast: leastHits },
    ...expected.map((name) => ({ name: words[name], value: sum(name), atLeast: leastOf[name] })),
    {
      name: 'share of rolled-back enqueues',
      value: sum('rolledBack') / Math.max(1, sum('enqueuesInTransactions')),
      atLeast: leastRolledBack,
    },
  ];
}

const words: Readonly<Record<Yield, string>> = {
  refused: 'refused stale settles',
  rescues: 'rescues',
  unknown: 'unknown outcomes',
};

export function verdictOf(rounds: readonly RoundResult[], bars: readonly Bar[], missing: number): Verdict {
  if (rounds.some(({ violations }) => violations.length > 0)) return 'violated';
  if (missing > 0) return 'unfinished';
  return bars.every(({ value, atLeast }) => value >= atLeast) ? 'held' : 'void';
}

export const exitCodes: Readonly<Record<Verdict, number>> = { held: 0, violated: 1, void: 2, unfinished: 3 };
