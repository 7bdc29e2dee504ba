import { setTimeout as pause } from 'node:timers/promises';

export interface Patience {
  readonly within: number;
  readonly every?: number;
}

/** Asks `condition` until it holds; false when `within` milliseconds have passed without. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  { within, every = 10 }: Patience,
): Promise<boolean> {
  const deadline = performance.now() + within;
  while (!(await condition())) {
    if (performance.now() >= deadline) return false;
    await pause(every);
  }
  return true;
}
