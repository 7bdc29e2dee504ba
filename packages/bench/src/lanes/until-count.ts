import { setTimeout as pause } from 'node:timers/promises';
import { monotonicNow } from '../processes/monotonic.js';
import type { Child } from '../processes/start-child.js';
import type { Task } from '../processes/task.js';

const patience = 60_000;
const lookEvery = 20;

/** Resolves once the child has come that far. @throws when it has not within a minute, or goes further */
export async function untilCount<T extends Task>(child: Child<T>, wanted: number): Promise<void> {
  const deadline = monotonicNow() + patience;
  for (;;) {
    const { count } = await child.sample();
    if (count === wanted) return;
    if (count > wanted) throw new Error(`${count} jobs started, but only ${wanted} were stored`);
    if (monotonicNow() > deadline) throw new Error(`${count} of ${wanted} jobs started within a minute`);
    await pause(lookEvery);
  }
}
