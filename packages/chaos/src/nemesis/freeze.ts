import { wait } from '../wait.js';
import type { Nemesis } from './nemesis.js';

/** A process stops for longer than its lease and then goes on as if nothing had been: a zombie. */
export const freeze: Nemesis = {
  name: 'freeze',
  what: 'SIGSTOP of a worker process for longer than its lease, then SIGCONT',
  yields: ['rescues', 'refused'],
  lossless: false,
  recoversWithin: (leaseMs) => leaseMs,
  viaProxy: false,
  restMs: [500, 1500],
  lastsMs: ({ leaseMs }) => 2.5 * leaseMs,
  async strike({ fleet, random, leaseMs }) {
    const worker = fleet.pick(random);
    if (worker === undefined) return [];
    const ms = Math.round(leaseMs * random.between(1.5, 2.5));
    const lostAt = Date.now();
    worker.freeze();
    // Not cut short at the end of the round: a freeze within the lease is another fault.
    await wait(ms);
    worker.thaw();
    return [{ what: `SIGSTOP ${worker.pid} for ${ms} ms`, pid: worker.pid, lostAt }];
  },
};
