import { blockLoop, blockLoopLong } from './block-loop.js';
import { freeze } from './freeze.js';
import { kill } from './kill.js';
import type { Nemesis } from './nemesis.js';
import { outage } from './outage.js';
import { restartFast, restartImmediate } from './restart.js';
import { cutStatement, failStatement } from './statements.js';
import { storm } from './storm.js';
import { terminateBackends } from './terminate-backends.js';

export const nemeses: readonly Nemesis[] = [
  kill,
  freeze,
  blockLoop,
  blockLoopLong,
  terminateBackends,
  restartFast,
  restartImmediate,
  failStatement,
  cutStatement,
  outage,
  storm,
];
