import { until, wait } from '../wait.js';
import type { Nemesis } from './nemesis.js';

const stopLimitMs = 30_000;

/** The server is away for many leases. Nobody could renew, so nobody may be taken for dead. */
export const outage: Nemesis = {
  name: 'outage',
  what: 'server stopped for many leases (60 s): no attempt may be burnt',
  yields: [],
  lossless: true,
  recoversWithin: (leaseMs) => 2 * leaseMs,
  viaProxy: false,
  restMs: [4000, 10_000],
  lastsMs: ({ outageMs }) => outageMs + 2000,
  async strike({ server, outageMs }) {
    const { postmasterPid } = server;
    if (postmasterPid === null) return [];
    // `stop` would be for good.
    process.kill(postmasterPid, 'SIGINT');
    if (!(await until(() => server.postmasterPid === null, stopLimitMs)))
      throw new Error('the server did not stop');
    await wait(outageMs);
    await server.restart();
    return [{ what: `server away for ${outageMs} ms` }];
  },
};
