import { pathToFileURL } from 'node:url';
import { baseFolder } from '../host/base-build.js';
import type { Api } from './rowlock.js';
import { rowlockOf } from './rowlock.js';
import type { System } from './system.js';

/** Ours as it was at the commit that `perf-base` names, built beside the working tree. */
export const base: System = rowlockOf('base', async () => {
  const entry = pathToFileURL(`${baseFolder}/packages/rowlock/dist/index.js`).href;
  return (await import(entry)) as Api;
});
