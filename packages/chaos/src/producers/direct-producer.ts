import type { JobRequest, Rowlock } from 'rowlock';
import { hasCode } from 'rowlock';
import { chaosWork } from '../fleet/work.js';
import type { Random } from '../random.js';
import { wait } from '../wait.js';
import type { Fate, Plan, Tokens } from './tokens.js';

export interface ProducerParts {
  readonly rowlock: Rowlock;
  readonly tokens: Tokens;
  readonly random: Random;
  /** Mean pause between calls, in ms. */
  readonly pauseMs: number;
}

/** Enqueues by calls of their own, several in flight, as a web server does that has no transaction open. */
export async function produceDirectly(
  { rowlock, tokens, random, pauseMs }: ProducerParts,
  signal: AbortSignal,
): Promise<void> {
  const underWay = new Set<Promise<void>>();
  while (!signal.aborted) {
    const plans = Array.from({ length: random.chance(0.2) ? random.integer(2, 5) : 1 }, () => tokens.plan());
    const call = rowlock.enqueueMany(plans.map(requestOf)).then(
      () => tokens.note(plans, 'direct', 'acknowledged'),
      (error: unknown) => tokens.note(plans, 'direct', fateOf(error)),
    );
    underWay.add(call);
    void call.finally(() => underWay.delete(call));
    if (underWay.size >= 8) await Promise.race(underWay);
    await wait(random.between(0, 2 * pauseMs), signal);
  }
  await Promise.all(underWay);
}

export function requestOf({ work, maxAttempts, delayMs }: Plan): JobRequest {
  return chaosWork.with(work, { maxAttempts, ...(delayMs > 0 && { delay: delayMs }) });
}

/** What the library promises of a call that failed. */
function fateOf(error: unknown): Fate {
  return hasCode(error, 'OUTCOME_UNKNOWN') ? 'unknown' : 'refused';
}
