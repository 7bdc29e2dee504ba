import type { FactOutcome } from './fact.js';
import type { State } from './state.js';

/** One way in which a job changes its state. Nothing but the statements named makes a change, and none makes another. */
export interface Transition {
  /** null: the job did not exist. */
  readonly from: State | null;
  readonly to: State;
  /** The SQL statements that make the change. */
  readonly by: readonly string[];
  /** What is reported of the attempt, where a report makes the change. */
  readonly fact?: FactOutcome;
  readonly when: string;
}

const settle = ['settle_facts'];
const enqueue = ['enqueue_alone', 'enqueue_jobs'];
const claim = ['settle_and_claim', 'claim_named'];

/** All there are: tests hold the statements, the reference and the facts against them. */
export const transitions: readonly Transition[] = [
  { from: null, to: 'available', by: enqueue, when: 'enqueued to run now' },
  { from: null, to: 'scheduled', by: enqueue, when: 'enqueued to run later' },
  {
    from: 'available',
    to: 'available',
    by: ['park_unserved'],
    when: 'parked: its kind is paused or not served',
  },
  { from: 'available', to: 'running', by: claim, when: 'claimed' },
  { from: 'scheduled', to: 'running', by: claim, when: 'claimed once due' },
  { from: 'retryable', to: 'running', by: claim, when: 'claimed once due' },
  {
    from: 'running',
    to: 'completed',
    by: ['settle_and_claim', ...settle],
    fact: 'completed',
    when: 'the handler returned',
  },
  {
    from: 'running',
    to: 'retryable',
    by: settle,
    fact: 'failed',
    when: 'the handler threw, attempts are left',
  },
  {
    from: 'running',
    to: 'discarded',
    by: settle,
    fact: 'failed',
    when: 'the handler threw in the last attempt',
  },
  {
    from: 'running',
    to: 'retryable',
    by: settle,
    fact: 'retry',
    when: 'the handler asked for it, attempts are left',
  },
  {
    from: 'running',
    to: 'discarded',
    by: settle,
    fact: 'retry',
    when: 'the handler asked for a retry in the last attempt',
  },
  { from: 'running', to: 'scheduled', by: settle, fact: 'snooze', when: 'the handler snoozed it' },
  {
    from: 'running',
    to: 'available',
    by: [...settle, 'rescue'],
    fact: 'release',
    when: 'its worker is stopping, or never heard of the claim',
  },
  { from: 'running', to: 'available', by: settle, fact: 'park', when: 'its worker does not serve the kind' },
  { from: 'running', to: 'cancelled', by: settle, fact: 'cancel', when: 'the handler cancelled it' },
  { from: 'running', to: 'discarded', by: settle, fact: 'discard', when: 'the handler discarded it' },
  {
    from: 'running',
    to: 'retryable',
    by: ['rescue'],
    fact: 'crashed',
    when: 'its worker died, attempts are left',
  },
  {
    from: 'running',
    to: 'discarded',
    by: ['rescue'],
    fact: 'crashed',
    when: 'its worker died, too often or in the last attempt',
  },
];

/** Where a fact leaves its job, as long as attempts are left. */
export const stateAfter: Readonly<Record<FactOutcome, State>> = {
  completed: 'completed',
  failed: 'retryable',
  retry: 'retryable',
  snooze: 'scheduled',
  cancel: 'cancelled',
  discard: 'discarded',
  release: 'available',
  park: 'available',
  crashed: 'retryable',
};
