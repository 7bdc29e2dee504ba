/** Short, so that the jobs of the killed worker are soon rescued. */
export const leaseSeconds = 2;
/** What a worker has that asks for none. */
export const usualLeaseSeconds = 15;
