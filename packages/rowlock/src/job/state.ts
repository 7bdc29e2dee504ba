/** Where a job is in its life. The first five are live and derived from the row; the last three are final. */
export const states = [
  'waiting',
  'scheduled',
  'available',
  'running',
  'retryable',
  'completed',
  'cancelled',
  'discarded',
] as const;

export type State = (typeof states)[number];

/** For the reference: what a reader may rely on in each state. */
export const stateMeanings: Record<State, string> = {
  waiting: 'Not to be run before the jobs it depends on have ended.',
  scheduled: 'To be run at a later instant.',
  available: 'May be claimed now. A parked job is available too, to workers that serve its kind.',
  running: 'Claimed by a worker.',
  retryable: 'An attempt failed; to be run again at a later instant.',
  completed: 'The handler returned; kept in history for as long as its kind says.',
  cancelled: 'Not wanted any more; kept in history for as long as its kind says.',
  discarded: 'Given up; kept until it is redriven or purged.',
};
