/** Short, so that the jobs of the killed worker are soon rescued. */
export const lease = '2s';
/** What a worker has that asks for none. */
export const usualLease = '15s';
