import { base } from './base.js';
import { bullmqPostgres, bullmqRedis, bullmqRedisAlways } from './peers/bullmq.js';
import { graphile, graphileLocalQueue } from './peers/graphile-worker.js';
import { pgBoss } from './peers/pg-boss.js';
import { pgmq } from './peers/pgmq.js';
import { rowlock, rowlockWithPaused } from './rowlock.js';
import type { System } from './system.js';

/** What ours is compared with. */
export const peers: readonly System[] = [
  ...[pgBoss, graphile, graphileLocalQueue, bullmqPostgres, bullmqRedis, bullmqRedisAlways, pgmq],
];

export const peerNames: readonly string[] = peers.map(({ name }) => name);

export function systemNamed(name: string): System {
  const systems = [rowlock, rowlockWithPaused, base, ...peers];
  const found = systems.find((system) => system.name === name);
  if (found === undefined)
    throw new Error(`no system is called ${name}; known: ${systems.map((system) => system.name).join(', ')}`);
  return found;
}
