import type { Policy } from '../../job/policy.js';

/** What the model runs with: queues, kinds and their policies. */
export interface ModelKind {
  readonly name: string;
  readonly queue: string;
  readonly policy: Policy;
  readonly keep: 'none' | 'short' | 'long';
  readonly keepArgs: boolean;
}

export const queues = ['one', 'two'] as const;

const quick: Policy = {
  maxAttempts: 4,
  maxCrashes: 3,
  timeoutMs: 60_000,
  backoff: { type: 'fixed', delayMs: 30, jitter: 0 },
};
const slow: Policy = {
  maxAttempts: 3,
  maxCrashes: 2,
  timeoutMs: 60_000,
  backoff: { type: 'exponential', baseMs: 1000, factor: 2, maxMs: 3000, jitter: 0.5 },
};

export const kinds: readonly ModelKind[] = [
  { name: 'quick', queue: 'one', policy: quick, keep: 'long', keepArgs: true },
  { name: 'slow', queue: 'one', policy: slow, keep: 'long', keepArgs: false },
  { name: 'brief', queue: 'two', policy: quick, keep: 'short', keepArgs: true },
  { name: 'quiet', queue: 'two', policy: quick, keep: 'none', keepArgs: true },
  { name: 'foreign', queue: 'one', policy: slow, keep: 'long', keepArgs: true },
];

/** Most processes serve these; the last one serves every kind. */
export const commonKinds = kinds.map(({ name }) => name).filter((name) => name !== 'foreign');
export const allKinds = kinds.map(({ name }) => name);

export function kindNamed(name: string): ModelKind {
  const found = kinds.find((kind) => kind.name === name);
  if (found === undefined) throw new RangeError(`the model has no kind ${name}`);
  return found;
}
