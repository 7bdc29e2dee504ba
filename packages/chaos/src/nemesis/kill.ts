import type { Nemesis } from './nemesis.js';

/** A process ends without a word; another one takes its place. */
export const kill: Nemesis = {
  name: 'kill',
  what: 'SIGKILL of a worker process, which is replaced',
  yields: ['rescues'],
  lossless: false,
  recoversWithin: (leaseMs) => leaseMs,
  viaProxy: false,
  restMs: [1500, 4000],
  lastsMs: () => 0,
  async strike({ fleet, random }) {
    const worker = fleet.pick(random);
    if (worker === undefined) return [];
    const lostAt = Date.now();
    await fleet.killAndReplace(worker);
    return [{ what: `SIGKILL ${worker.pid}`, pid: worker.pid, lostAt }];
  },
};
