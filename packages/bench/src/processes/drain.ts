import { systemNamed } from '../systems/registry.js';
import type { Channel } from './channel.js';
import { sampleOf } from './channel.js';
import { Marks } from './marks.js';
import { monotonicNow } from './monotonic.js';
import type { DrainResult, DrainTask } from './task.js';

/** How exactly the end of a drain is known, in ms; a look costs a few microseconds. */
const lookEvery = 5;

export async function drain(task: DrainTask, channel: Channel): Promise<DrainResult> {
  let firstStart = Infinity;
  let started = 0;
  const { system, url, concurrency, keep } = task;
  const consumer = await systemNamed(system).consumer(url, {
    ...{ concurrency, keep, purpose: 'throughput', pollOnly: false },
    onStart: () => {
      if (started === 0) firstStart = monotonicNow();
      started += 1;
      return true;
    },
  });
  channel.counts(() => consumer.settled() ?? started);
  await channel.ready();
  const marks = task.markEvery === null ? undefined : new Marks(task.markEvery);
  let latest = sampleOf(0);
  let isTold = true;
  const look = setInterval(() => {
    const settled = consumer.settled();
    const count = settled ?? started;
    marks?.look(count);
    if (count !== latest.count) {
      latest = { ...sampleOf(count), isEnd: settled !== undefined };
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
  marks?.stop();
  await consumer.stop();
  return { firstStart, started, marks: marks?.taken ?? [] };
}
