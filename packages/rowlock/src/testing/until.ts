import { setTimeout as pause } from 'node:timers/promises';

export interface UntilOptions {
  /** @defaultValue 10000 */
  readonly timeoutMs?: number;
  /** @defaultValue 10 */
  readonly everyMs?: number;
  /** Completes "timed out waiting until …". */
  readonly what?: string;
}

/** Asks `condition` until it gives something truthy, and resolves with that; rejects when the time is up. */
export async function until<T>(
  condition: () => T | Promise<T>,
  options: UntilOptions = {},
): Promise<NonNullable<T>> {
  const { timeoutMs = 10_000, everyMs = 10, what = condition.toString() } = options;
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const answer = await condition();
    if (answer) return answer;
    if (performance.now() >= deadline)
      throw new Error(`timed out after ${String(timeoutMs)} ms waiting until ${what}`);
    await pause(everyMs);
  }
}
