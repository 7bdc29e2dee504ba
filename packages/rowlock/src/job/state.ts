/** Where a job is in its life. The first four are live and derived from the row; the last three are final. */
export const states = [
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
  scheduled: 'To be run at a later instant.',
  available: 'May be claimed now. A parked job is available too, to workers that serve its kind.',
  running: 'Claimed by a worker.',
  retryable: 'An attempt failed; to be run again at a later instant.',
  completed: 'The handler returned; kept in history for as long as its kind says.',
  cancelled: 'Not wanted any more; kept in history for as long as its kind says.',
  discarded: 'Given up; kept until somebody deletes it.',
};
