import { rowlock } from './rowlock.js';
import type { System } from './system.js';

const systems: readonly System[] = [rowlock];

export function systemNamed(name: string): System {
  const found = systems.find((system) => system.name === name);
  if (found === undefined)
    throw new Error(`no system is called ${name}; known: ${systems.map((system) => system.name).join(', ')}`);
  return found;
}
