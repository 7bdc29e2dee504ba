/** The one shape of every long-lived part. Both calls may be repeated; a stopped service is not started again. */
export interface Service {
  start(): Promise<void>;
  /** Resolves when nothing of the service runs any more: no timer, no connection, no promise. */
  stop(): Promise<void>;
}
