/** The middle value; of an even number of values the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = ascending(values);
  const half = Math.floor(sorted.length / 2);
  const upper = sorted[half] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? NaN) + upper) / 2;
}

/** Nearest rank: the smallest value that at least `share` of all values do not exceed; it is always one of them. */
export function percentile(values: readonly number[], share: number): number {
  return atRank(ascending(values), share);
}

/** How far the values lie apart, as a share of their median: (max - min) / median. */
export function spread(values: readonly number[]): number {
  const sorted = ascending(values);
  return ((sorted.at(-1) ?? NaN) - (sorted[0] ?? NaN)) / median(sorted);
}

export interface Summary {
  readonly count: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

export function summarize(values: readonly number[]): Summary {
  const sorted = ascending(values);
  return {
    count: sorted.length,
    p50: atRank(sorted, 0.5),
    p95: atRank(sorted, 0.95),
    p99: atRank(sorted, 0.99),
    max: sorted.at(-1) ?? NaN,
  };
}

/**
 * One against the other, round by round: neighbours in time had the same machine.
 * @throws when the rounds do not pair up
 */
export function pairedRatios(values: readonly number[], base: readonly number[]): number[] {
  if (values.length !== base.length)
    throw new Error(`${values.length} rounds cannot be paired with ${base.length}`);
  return values.map((value, round) => value / (base[round] ?? NaN));
}

/**
 * How low the median may be, with 95 % confidence: the fifth percentile of the medians of resamples, drawn with replacement
 * (percentile bootstrap, Efron 1979). The draws are the same in every run.
 */
export function bootstrapLowerBound(values: readonly number[], resamples = 10_000): number {
  const draw = sequence();
  const medians = Array.from({ length: resamples }, () =>
    median(values.map(() => values[Math.floor(draw() * values.length)] ?? NaN)),
  );
  return percentile(medians, 0.05);
}

/** Numbers from 0 to 1 (exclusive), by a linear congruential generator (constants of Numerical Recipes). */
function sequence(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function ascending(values: readonly number[]): number[] {
  return [...values].sort((a, b) => a - b);
}

function atRank(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN;
}
