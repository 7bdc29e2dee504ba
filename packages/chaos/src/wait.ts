import { setTimeout as pause } from 'node:timers/promises';

/** Resolves after `ms`, or early when the signal aborts; never rejects. */
export async function wait(ms: number, signal?: AbortSignal): Promise<void> {
  await pause(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
}

/** Asks `condition` until it holds or the time is up. @returns whether it held */
export async function until(condition: () => boolean | Promise<boolean>, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() >= deadline) return false;
    await wait(50);
  }
  return true;
}
