import type { Nemesis } from './nemesis.js';

const rowlockBackends = `
  select pid from pg_stat_activity
  where datname = current_database() and application_name like 'rowlock%' order by pid`;

const terminate = 'select pg_terminate_backend(pid) from unnest($1::integer[]) as t (pid)';

/** Connections end in the middle of whatever they do, those of the helper threads as well. */
export const terminateBackends: Nemesis = {
  name: 'terminate-backends',
  what: 'pg_terminate_backend of one, some or all connections of workers, helper threads and producers',
  yields: [],
  lossless: false,
  recoversWithin: (leaseMs) => leaseMs,
  viaProxy: false,
  restMs: [300, 1500],
  lastsMs: () => 0,
  async strike({ database, random }) {
    // Another nemesis may have taken the server away.
    const rows = await database.rows<{ pid: number }>(rowlockBackends).catch(() => []);
    const backends = rows.map(({ pid }) => pid);
    if (backends.length === 0) return [];
    const share = random.pick([0, 0.3, 1]);
    const chosen = backends.filter(() => random.chance(share));
    const victims = chosen.length > 0 ? chosen : [random.pick(backends)];
    await database.rows(terminate, [victims]).catch(() => []);
    return [{ what: `terminated ${victims.length} of ${backends.length} backends` }];
  },
};
