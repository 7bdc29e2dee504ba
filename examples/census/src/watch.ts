import { setTimeout as pause } from 'node:timers/promises';
import type { Crew } from './crew.js';
import type { CrewMember } from './crew-member.js';
import type { Ledger, Progress } from './ledger.js';
import { RateMeter } from './rate-meter.js';
import type { Screen } from './screen/screen.js';
import type { Standing, WorkerLine } from './screen/progress-lines.js';

export interface WatchOptions {
  readonly ledger: Ledger;
  readonly crew: Crew;
  readonly screen: Screen;
  readonly total: number;
  readonly signal: AbortSignal;
  /** Called after every look at the ledger. */
  readonly onLook: (progress: Progress) => Promise<void>;
}

const lookMs = 100;
/** When nothing has moved for so long, nothing will. */
const stallMs = 120_000;

/** Shows how the jobs go, until all have ended. */
export async function watchUntilDone({
  ledger,
  crew,
  screen,
  total,
  signal,
  onLook,
}: WatchOptions): Promise<void> {
  const meter = new RateMeter();
  let moved = { done: -1, at: performance.now() };
  for (;;) {
    signal.throwIfAborted();
    const asked = performance.now();
    const progress = await ledger.progress();
    const now = performance.now();
    screen.show(standingOf(progress, { members: crew.members, total, rate: meter.take(progress.done, now) }));
    if (progress.live === 0) return;
    if (progress.done !== moved.done) moved = { done: progress.done, at: now };
    if (now - moved.at > stallMs) throw new Error(`no job has ended for ${String(stallMs / 1000)} seconds`);
    await onLook(progress);
    // Looking at a million jobs takes a while; watching must not slow down what is watched.
    await pause(Math.max(lookMs, 10 * (now - asked)), undefined, { signal });
  }
}

interface Circumstances {
  readonly members: readonly CrewMember[];
  readonly total: number;
  readonly rate: number;
}

function standingOf(progress: Progress, { members, total, rate }: Circumstances): Standing {
  return { done: progress.done, total, rate, workers: members.map((member) => lineOf(member, progress)) };
}

function lineOf({ name, killed, workerIds }: CrewMember, { shares }: Progress): WorkerLine {
  const own = shares.filter(({ workerId }) => workerId !== null && workerIds.has(workerId));
  const sum = (of: 'done' | 'held'): number => own.reduce((total, share) => total + share[of], 0);
  return { name, killed, done: sum('done'), held: sum('held') };
}
