import { setTimeout as pause } from 'node:timers/promises';
import { monotonicNow } from '../processes/monotonic.js';
import type { Child } from '../processes/start-child.js';
import type { Task } from '../processes/task.js';

const patience = 60_000;
const lookEvery = 20;

/** Waits until the child has come that far, a minute at most. @returns how far it came */
export async function untilCount<T extends Task>(child: Child<T>, wanted: number): Promise<number> {
  const deadline = monotonicNow() + patience;
  for (;;) {
    const { count } = await child.sample();
    if (count >= wanted || monotonicNow() > deadline) return count;
    await pause(lookEvery);
  }
}
