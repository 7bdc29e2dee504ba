/** Of a connection that says nothing else; the options of the client take theirs from here. */
export const databaseDefaults = {
  schema: 'rowlock',
  maxConnections: 4,
  connectTimeLimit: 5_000,
  callTimeLimit: 10_000,
} as const;
