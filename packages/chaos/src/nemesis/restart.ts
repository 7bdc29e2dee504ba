import type { Nemesis } from './nemesis.js';

/** The server goes and comes back: with a checkpoint (fast), or by crash recovery (immediate). */
function restart(mode: 'fast' | 'immediate'): Nemesis {
  return {
    name: `restart-${mode}`,
    what: `restart of the server, mode ${mode}`,
    yields: [],
    lossless: false,
    recoversWithin: (leaseMs) => 2 * leaseMs,
    viaProxy: false,
    restMs: [2000, 8000],
    lastsMs: () => 1000,
    async strike({ server }) {
      const began = performance.now();
      await server.restart(mode);
      return [{ what: `restart ${mode}, ${Math.round(performance.now() - began)} ms` }];
    },
  };
}

export const restartFast = restart('fast');
export const restartImmediate = restart('immediate');
