import { freeze } from './freeze.js';
import { kill } from './kill.js';
import type { Nemesis } from './nemesis.js';
import { restartFast, restartImmediate } from './restart.js';
import { cutStatement, failStatement } from './statements.js';
import { terminateBackends } from './terminate-backends.js';

const troubles: readonly Nemesis[] = [
  kill,
  freeze,
  terminateBackends,
  cutStatement,
  failStatement,
  restartFast,
  restartImmediate,
];

/** Troubles never come singly: two at once, and hardly any rest. */
export const storm: Nemesis = {
  name: 'storm',
  what: 'any two of the others at once, one pair after the other',
  yields: ['rescues', 'refused', 'unknown'],
  lossless: false,
  // Each restart gives everybody another lease of time.
  recoversWithin: (leaseMs) => 8 * leaseMs,
  viaProxy: true,
  restMs: [100, 1500],
  lastsMs: (field) => freeze.lastsMs(field),
  async strike(field) {
    const first = field.random.pick(troubles);
    const second = field.random.pick(
      troubles.filter((trouble) => trouble !== first && !(isRestart(trouble) && isRestart(first))),
    );
    const strikes = await Promise.all([first.strike(field), second.strike(field)]);
    return strikes.flat();
  },
};

function isRestart(nemesis: Nemesis): boolean {
  return nemesis === restartFast || nemesis === restartImmediate;
}
