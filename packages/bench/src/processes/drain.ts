import { systemNamed } from '../systems/registry.js';
import type { Channel } from './channel.js';
import { sampleOf } from './channel.js';
import { monotonicNow } from './monotonic.js';
import type { DrainResult, DrainTask } from './task.js';

/** How exactly the end of a drain is known, in ms; a look costs a few microseconds. */
const lookEvery = 5;

export async function drain(task: DrainTask, channel: Channel): Promise<DrainResult> {
  let firstStart = Infinity;
  let started = 0;
  const consumer = systemNamed(task.system).consumer(task.url, {
    concurrency: task.concurrency,
    keep: task.keep,
    pollOnly: false,
    onStart: () => {
      if (started === 0) firstStart = monotonicNow();
      started += 1;
      return true;
    },
  });
  await channel.ready();
  let latest = sampleOf(0);
  let isTold = true;
  const look = setInterval(() => {
    const settled = consumer.settled();
    if (settled !== latest.count) {
      latest = sampleOf(settled);
      isTold = false;
    } else if (!isTold) {
      // Telling takes time from what is measured: only once nothing more comes.
      channel.send(latest);
      isTold = true;
    }
  }, lookEvery);
  await consumer.start();
  await channel.stopped();
  clearInterval(look);
  await consumer.stop();
  return { firstStart, started };
}
