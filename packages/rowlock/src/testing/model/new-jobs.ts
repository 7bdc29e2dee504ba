import type { NewJob } from '../../enqueue/batch.js';
import type { Random } from './random.js';
import { kinds, queues } from './world.js';

const priorities = [5, 5, 5, 5, 0, 2, 9];

/** Jobs of all sorts: now, in the past, soon, far; of several lanes, some with a policy of their own. */
export function newJobs(random: Random, now: number): NewJob[] {
  return Array.from({ length: random.chance(0.1) ? random.between(5, 15) : random.between(1, 3) }, () =>
    newJob(random, now),
  );
}

function newJob(random: Random, now: number): NewJob {
  const kind = random.pick(kinds);
  return {
    kind: kind.name,
    args: `{"n":${String(random.below(1000))}}`,
    queue: random.chance(0.1) ? random.pick(queues) : kind.queue,
    priority: random.pick(priorities),
    ...due(random, now),
    policy: random.chance(0.1) ? { maxAttempts: random.between(1, 3) } : null,
  };
}

function due(random: Random, now: number): Pick<NewJob, 'runAtUs' | 'delayMs'> {
  const choice = random.next();
  if (choice < 0.7) return { runAtUs: null, delayMs: null };
  if (choice < 0.78) return { runAtUs: now - random.between(1, 3_600_000_000), delayMs: null };
  if (choice < 0.88) return { runAtUs: now + random.between(1000, 3_000_000), delayMs: null };
  if (choice < 0.92) return { runAtUs: now + random.between(60_000_000, 900_000_000), delayMs: null };
  return { runAtUs: null, delayMs: random.between(1, 1500) };
}
