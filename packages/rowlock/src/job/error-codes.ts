/** What a stable error code means to whoever reads it, and what to do about it. */
export interface ErrorCodeEntry {
  readonly meaning: string;
  readonly remedy: string;
}

/** Every code this package throws or aborts with. Codes are stable: they are added, never renamed or reused. */
export const errorCodes = {
  ARGS_INVALID: {
    meaning:
      "The args do not satisfy the schema of the job's kind; `issues` lists each path, in `enqueueMany` with its request: `requests[1].args.to`.",
    remedy: 'Correct the value at the path named, or the schema in `defineJob`.',
  },
  CLIENT_CLOSED: {
    meaning: 'A call was made on a client after `close()`.',
    remedy: 'Close the client last, or make a new `Rowlock`.',
  },
  CONFIG_INVALID: {
    meaning:
      'An option or argument has a value that cannot work; the message names it and the value, and `field` says which it is.',
    remedy:
      'Set it as the message says. In `enqueueMany` the field begins with the request, such as `requests[1].options.priority`.',
  },
  CONNECTION: {
    meaning:
      'The database could not be reached, and nothing was sent: the call had no effect. Where the client was given no database, the message names the host and port that the environment led to.',
    remedy: 'Call again; check the connection settings if it persists.',
  },
  DUPLICATE_HANDLER: {
    meaning: 'Two handlers of one worker are for the same kind.',
    remedy: 'Keep one handler per kind in a worker.',
  },
  ENQUEUE_OVERLOADED: {
    meaning:
      'More enqueue calls are waiting for the database than the client may hold; nothing was enqueued by this call.',
    remedy: 'Slow the producer, use `enqueueMany`, or call again later.',
  },
  LEASE_LOST: {
    meaning:
      'The worker no longer holds the job: its lease ended or another claim took the job. Writes of this claim are refused.',
    remedy: 'Stop the work; the job is run by its new holder.',
  },
  MIGRATION_CHANGED: {
    meaning: 'A migration that was applied to the database differs from the one in this package.',
    remedy: 'Restore the released migration files; never edit an applied migration.',
  },
  NON_RETRYABLE: {
    meaning: 'The handler says that another attempt cannot help.',
    remedy: 'Look at the error of the discarded job; enqueue it anew once the cause is gone.',
  },
  NOT_ALLOWED: {
    meaning: 'The role of the connection lacks a right that is needed; the message names what was denied.',
    remedy:
      'Grant it: `npx rowlock migrate --grant ROLE`, run as the owner of the schema, gives what a worker needs. All rights are in docs/guides/permissions.md.',
  },
  NOT_A_TRANSACTION: {
    meaning:
      'The value given as `tx` is undefined, a pool, or a client that is not connected or has no transaction open.',
    remedy:
      'Pass the connected client on which `begin` was called, before its `commit` or `rollback`; leave `tx` out to enqueue outside a transaction.',
  },
  OUTCOME_UNKNOWN: {
    meaning:
      'The statement was sent, but the answer was lost, or the server stopped in the middle: it may have been applied or not.',
    remedy: 'Look up whether it took effect before calling again.',
  },
  PAYLOAD_INVALID: {
    meaning:
      'A value cannot be stored as JSON without changing (a property that is `undefined` is left out, as `JSON.stringify` does); `path` says where it is, in `enqueueMany` with its request: `requests[1].args.at`.',
    remedy: 'Convert the value at the path, for example a Date or BigInt to a string.',
  },
  QUEUE_NOT_SERVED: {
    meaning: "A handler's kind lives in a queue that the worker does not serve, so it would never run.",
    remedy: "Add the queue to the worker's `queues`, or remove the handler.",
  },
  ROLE_MISSING: {
    meaning: 'The role that is to be granted the rights does not exist; nothing was changed.',
    remedy: 'Correct its name, or create it first: `create role NAME login`.',
  },
  SCHEMA_MISSING: {
    meaning: 'The database has no Rowlock schema of this name.',
    remedy: 'Run `npx rowlock migrate`, or set `migrate: "auto"`.',
  },
  SCHEMA_OUTDATED: {
    meaning: 'The schema in the database is older than this package needs.',
    remedy: 'Run `npx rowlock migrate` before starting this version.',
  },
  SCHEMA_TOO_NEW: {
    meaning: 'The schema in the database is newer than this package can work with.',
    remedy: 'Upgrade the rowlock package of this process.',
  },
  SHUTDOWN: {
    meaning: 'Abort reason: the worker is stopping and its stop grace has ended.',
    remedy: 'Stop the work; the job is released and the attempt is not counted.',
  },
  TIMEOUT: {
    meaning: "Abort reason: the attempt ran longer than the job's `timeout`.",
    remedy: 'Stop the work; raise `timeout` in `defineJob` if the work needs longer.',
  },
  TRANSACTION_ABORTED: {
    meaning:
      'The transaction given as `tx` has failed already, so PostgreSQL refuses every further statement in it.',
    remedy: 'Roll the transaction back and run it again.',
  },
  WORKER_ALREADY_STARTED: {
    meaning: '`start()` or `run()` was called on a worker that is running.',
    remedy: 'Start a worker once; make another worker for more.',
  },
  WORKER_STOPPED: {
    meaning:
      '`start()` or `run()` was called on a worker that has stopped or could not start, or it was stopped while it started.',
    remedy: 'Make a new worker; a stopped one is not started again.',
  },
} as const satisfies Record<string, ErrorCodeEntry>;

export type ErrorCode = keyof typeof errorCodes;
