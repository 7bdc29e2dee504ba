import { systemNamed } from '../systems/registry.js';
import type { Channel } from './channel.js';
import { monotonicNow } from './monotonic.js';
import type { HoldResult, HoldTask } from './task.js';

/** Handlers that run until the parent says stop; and an event loop that stands still for as long as it says. */
export async function hold(task: HoldTask, channel: Channel): Promise<HoldResult> {
  const { system, url, purpose, concurrency } = task;
  const ended: number[] = [];
  let started = 0;
  const stopped = channel.stopped();
  const consumer = await systemNamed(system).consumer(url, {
    ...{ concurrency, keep: systemNamed(system).keeps[0], purpose, pollOnly: false },
    onStart: async ({ at = NaN }) => {
      started += 1;
      await stopped;
      ended.push(at);
      return true;
    },
  });
  channel.counts(() => started);
  channel.blocks(standStill);
  await channel.ready();
  await consumer.start();
  await stopped;
  await consumer.stop();
  return { started, ended };
}

function standStill(ms: number): void {
  const until = monotonicNow() + ms;
  while (monotonicNow() < until);
}
