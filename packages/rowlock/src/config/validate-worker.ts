import { checkChoice, checkInteger, checkKeys, checkOptions } from '../job/check.js';
import { describeValue } from '../job/describe.js';
import type { Duration } from '../job/duration.js';
import { toMilliseconds, toPositiveMilliseconds } from '../job/duration.js';
import { ConfigInvalidError, DuplicateHandlerError, QueueNotServedError } from '../job/errors.js';
import type { Handler } from '../job/handler.js';
import { checkName } from '../job/name.js';
import { pollDefaults, queueDefaults, renewalsPerLease, workerDefaults } from './defaults.js';
import type { PollOptions, QueueOptions, WakeMode, WorkerOptions } from './options.js';

/** The options of a worker with every default filled in, durations in milliseconds. */
export interface WorkerConfig {
  readonly handlers: readonly Handler[];
  readonly queues: ReadonlyMap<string, { readonly concurrency: number }>;
  readonly leaseMs: number;
  readonly renewEveryMs: number;
  readonly stopGraceMs: number;
  readonly maxBlockedMs: number;
  readonly poll: PollConfig;
  readonly prefetch: number;
}

export interface PollConfig {
  readonly mode: WakeMode;
  readonly minMs: number;
  readonly maxMs: number;
  readonly floorEveryMs: number;
}

const known = ['handlers', 'queues', 'lease', 'renewEvery', 'stopGrace', 'maxBlocked', 'poll', 'prefetch'];
const knownOfQueue = ['concurrency'];
const knownOfPoll = ['mode', 'min', 'max', 'floorEvery'];

/** Throws a typed error naming the first option that cannot work. */
export function workerConfig(options: WorkerOptions): WorkerConfig {
  checkOptions(options, '', known);
  const { stopGrace = workerDefaults.stopGrace, maxBlocked = workerDefaults.maxBlocked } = options;
  const { prefetch = workerDefaults.prefetch, poll = {} } = options;
  checkInteger(prefetch, 'prefetch', { min: 1, max: 10_000 });
  checkHandlers(options.handlers);
  const queues = queuesOf(options);
  checkServed(options.handlers, queues);
  return {
    handlers: options.handlers,
    queues,
    ...leaseOf(options),
    stopGraceMs: toMilliseconds(stopGrace, 'stopGrace'),
    maxBlockedMs: toPositiveMilliseconds(maxBlocked, 'maxBlocked'),
    poll: pollOf(poll),
    prefetch,
  };
}

function checkHandlers(handlers: unknown): asserts handlers is readonly Handler[] {
  if (!Array.isArray(handlers) || handlers.length === 0) {
    const got = Array.isArray(handlers) ? 'an empty array' : describeValue(handlers);
    throw new ConfigInvalidError('handlers', `must be an array of definition.handle(fn) (got ${got})`);
  }
  const kinds = new Set<string>();
  handlers.forEach((handler: Partial<Handler> | null, index) => {
    if (typeof handler?.run !== 'function' || handler.definition === undefined) {
      throw new ConfigInvalidError(
        `handlers[${index}]`,
        `is not made by definition.handle(fn) (got ${describeValue(handler)})`,
      );
    }
    const { kind } = handler.definition;
    if (kinds.has(kind))
      throw new DuplicateHandlerError(`handlers[${index}] is a second handler of kind '${kind}': keep one`);
    kinds.add(kind);
  });
}

function queuesOf(options: WorkerOptions): WorkerConfig['queues'] {
  const { queues } = options;
  if (queues === undefined) {
    return new Map(options.handlers.map((handler) => [handler.definition.queue, { ...queueDefaults }]));
  }
  if (typeof queues !== 'object' || queues === null || Object.keys(queues).length === 0) {
    throw new ConfigInvalidError(
      'queues',
      `must name a queue, like { mail: { concurrency: 10 } } (got ${describeValue(queues)})`,
    );
  }
  return new Map(Object.entries(queues).map(([name, queue]) => [name, queueOf(name, queue)]));
}

function queueOf(name: string, queue: QueueOptions): { concurrency: number } {
  checkName(name, 'queues');
  const field = `queues.${name}`;
  if (typeof queue !== 'object' || queue === null) {
    throw new ConfigInvalidError(
      field,
      `must be an object like { concurrency: 10 } (got ${describeValue(queue)})`,
    );
  }
  checkKeys(queue, field, knownOfQueue);
  const { concurrency = queueDefaults.concurrency } = queue;
  checkInteger(concurrency, `${field}.concurrency`, { min: 1, max: 100_000 });
  return { concurrency };
}

function checkServed(handlers: readonly Handler[], queues: WorkerConfig['queues']): void {
  for (const { definition } of handlers) {
    if (queues.has(definition.queue)) continue;
    const served = [...queues.keys()].map((name) => `'${name}'`).join(', ');
    throw new QueueNotServedError(
      `kind '${definition.kind}' lives in queue '${definition.queue}', and this worker serves only ${served}: add it to queues`,
    );
  }
}

function leaseOf(options: WorkerOptions): { leaseMs: number; renewEveryMs: number } {
  const { lease = workerDefaults.lease } = options;
  const leaseMs = toMilliseconds(lease, 'lease');
  if (leaseMs < 1_000 || leaseMs > 3_600_000) {
    throw new ConfigInvalidError('lease', `must be from '1s' to '1h' (got ${describeValue(lease)})`);
  }
  const longest = Math.floor(leaseMs / renewalsPerLease);
  const renewEveryMs =
    options.renewEvery === undefined ? longest : toPositiveMilliseconds(options.renewEvery, 'renewEvery');
  if (renewEveryMs > longest) {
    const got = describeValue(options.renewEvery);
    throw new ConfigInvalidError(
      'renewEvery',
      `must be at most a third of lease, ${longest} ms (got ${got}): raise lease or lower it`,
    );
  }
  return { leaseMs, renewEveryMs };
}

function pollOf(poll: PollOptions): PollConfig {
  if (typeof poll !== 'object' || poll === null) {
    throw new ConfigInvalidError(
      'poll',
      `must be an object like { mode: 'poll' } (got ${describeValue(poll)})`,
    );
  }
  checkKeys(poll, 'poll', knownOfPoll);
  const { mode = pollDefaults.mode, min = pollDefaults.min } = poll;
  const { max = pollDefaults.max, floorEvery = pollDefaults.floorEvery } = poll;
  checkChoice(mode, 'poll.mode', ['doorbell', 'poll']);
  const times: [Duration, string][] = [
    [min, 'poll.min'],
    [max, 'poll.max'],
    [floorEvery, 'poll.floorEvery'],
  ];
  const [minMs = 0, maxMs = 0, floorEveryMs = 0] = times.map(([time, field]) =>
    toPositiveMilliseconds(time, field),
  );
  if (minMs > maxMs)
    throw new ConfigInvalidError('poll.min', `must not exceed poll.max, ${maxMs} ms (got ${minMs} ms)`);
  return { mode, minMs, maxMs, floorEveryMs };
}
