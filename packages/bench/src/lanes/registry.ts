import { backlogLane } from './backlog.js';
import { baseLane } from './base.js';
import { churnLane } from './churn.js';
import { cpuLane } from './cpu.js';
import { drainLane } from './drain.js';
import { enqueueLane } from './enqueue.js';
import { killLane } from './kill.js';
import type { Lane } from './lane.js';
import { latencyLane } from './latency.js';
import { steadyLane } from './steady.js';
import { xminLane } from './xmin.js';

export const lanes: Readonly<Record<string, Lane>> = {
  enqueue: { rounds: 3, measure: enqueueLane },
  drain: { rounds: 3, measure: drainLane },
  steady: { rounds: 3, seconds: { full: 60, quick: 5 }, measure: steadyLane },
  latency: { rounds: 3, seconds: { full: 10, quick: 2 }, measure: latencyLane },
  backlog: { rounds: 3, measure: backlogLane },
  xmin: { rounds: 1, seconds: { full: 240, quick: 14 }, measure: xminLane },
  churn: { rounds: 1, measure: churnLane },
  kill: { rounds: 3, measure: killLane },
  cpu: { rounds: 1, measure: cpuLane },
  base: { rounds: 9, measure: baseLane },
};
