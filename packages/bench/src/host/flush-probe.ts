import { mkdtemp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Summary } from '../report/statistics.js';
import { summarize } from '../report/statistics.js';

const block = 8192;
const flushes = 300;

/** How long the disk takes to make 8 kB of a file durable, in ms: what every commit waits for. */
export async function probeFlush(folder: string): Promise<Summary> {
  const own = await mkdtemp(join(folder, 'flush-probe-'));
  try {
    return summarize(await timeFlushes(join(own, 'probe')));
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

// Over a file of full length, as WAL segments are: a flush that also has to grow the file takes longer.
async function timeFlushes(path: string): Promise<number[]> {
  const file = await open(path, 'w');
  try {
    await file.writeFile(Buffer.alloc(block * flushes));
    await file.sync();
    const times: number[] = [];
    for (let i = 0; i < flushes; i += 1) {
      const begun = performance.now();
      await file.write(Buffer.alloc(block, i % 255), 0, block, i * block);
      await file.datasync();
      times.push(performance.now() - begun);
    }
    return times;
  } finally {
    await file.close();
  }
}
