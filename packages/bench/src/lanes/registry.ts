import { drainLane } from './drain.js';
import { enqueueLane } from './enqueue.js';
import type { Lane } from './lane.js';
import { latencyLane } from './latency.js';
import { xminLane } from './xmin.js';

export const lanes: Readonly<Record<string, Lane>> = {
  drain: drainLane,
  enqueue: enqueueLane,
  latency: latencyLane,
  xmin: xminLane,
};
