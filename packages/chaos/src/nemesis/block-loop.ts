import type { Nemesis, Strike, Field } from './nemesis.js';

/** Renewed from its helper thread, a lease outlives an event loop that stands still, up to the limit. */
export const blockLoop: Nemesis = {
  name: 'block-loop',
  what: 'event loop of a worker process blocked for longer than its lease, under maxBlocked: no lease may be lost',
  yields: [],
  lossless: true,
  recoversWithin: (leaseMs) => leaseMs,
  viaProxy: false,
  restMs: [300, 1000],
  lastsMs: ({ maxBlockedMs }) => 0.8 * maxBlockedMs,
  strike: (field) => block(field, [field.leaseMs * 1.1, field.maxBlockedMs * 0.8]),
};

/** Over the limit the lease goes, and what the loop does afterwards is too late. */
export const blockLoopLong: Nemesis = {
  name: 'block-loop-long',
  what: 'event loop of a worker process blocked for longer than maxBlocked and its lease',
  yields: ['rescues', 'refused'],
  lossless: false,
  recoversWithin: (leaseMs) => leaseMs,
  viaProxy: false,
  restMs: [300, 1000],
  lastsMs: ({ maxBlockedMs, leaseMs }) => maxBlockedMs + 2 * leaseMs,
  strike: (field) =>
    block(field, [field.maxBlockedMs + field.leaseMs * 1.5, field.maxBlockedMs + field.leaseMs * 2]),
};

async function block(
  { fleet, random, maxBlockedMs }: Field,
  [from, to]: [number, number],
): Promise<readonly Strike[]> {
  const worker = fleet.pick(random);
  if (worker === undefined) return [];
  const ms = Math.round(random.between(from, to));
  const lostAt = Date.now() + maxBlockedMs;
  await worker.block(ms);
  return [{ what: `blocked ${worker.pid} for ${ms} ms`, pid: worker.pid, lostAt }];
}
