import { defineJob, fixed, snooze, type } from 'rowlock';
import type { Handler } from 'rowlock';
import { wait } from '../wait.js';
import type { Journal } from './journal.js';

/** What a job does, decided when it is enqueued. */
export interface Work {
  readonly token: number;
  /** How long its handler takes, in ms. */
  readonly workMs: number;
  /** It fails by itself while `attempt` is at most this. */
  readonly failures: number;
  /** Its first claim snoozes. */
  readonly snooze: boolean;
  /** It does not heed its signal: what a zombie is made of. */
  readonly stubborn: boolean;
}

/** Attempts and crashes of a job that is meant to succeed: more than a campaign can use up. */
export const attemptsForAll = 100;

export const chaosWork = defineJob('chaos_work', {
  args: type<Work>(),
  queue: 'chaos',
  maxAttempts: attemptsForAll,
  maxCrashes: attemptsForAll,
  timeout: '10m',
  backoff: fixed({ delay: '100ms' }),
});

class OwnFailure extends Error {
  override readonly name = 'OwnFailure';
}

/** Writes into the journal when a handler starts and, before anything is settled, how it ended. */
export function handleWork(journal: Journal): Handler {
  return chaosWork.handle(async ({ args, job, signal }) => {
    const claim = { token: args.token, id: job.id, claimNo: job.claimNo };
    journal.write({ type: 'start', ...claim, attempt: job.attempt });
    await wait(args.workMs, args.stubborn ? undefined : signal);
    if (signal.aborted && !args.stubborn) {
      journal.write({ type: 'end', ...claim, result: 'aborted' });
      throw signal.reason;
    }
    if (args.snooze && job.claimNo === 1) {
      journal.write({ type: 'end', ...claim, result: 'snoozed' });
      return snooze('200ms');
    }
    if (job.attempt <= args.failures) {
      journal.write({ type: 'end', ...claim, result: 'failed' });
      throw new OwnFailure('as planned');
    }
    journal.write({ type: 'end', ...claim, result: 'completed' });
    return;
  });
}
