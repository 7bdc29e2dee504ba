import { systemNamed } from '../systems/registry.js';
import type { BenchArgs } from '../systems/system.js';
import type { Channel } from './channel.js';
import { monotonicNow } from './monotonic.js';
import type { OfferResult, OfferTask } from './task.js';

/** Offers by the clock, whether or not earlier calls are answered: a slow system gets no mercy. */
export async function offer(task: OfferTask, channel: Channel): Promise<OfferResult> {
  const producer = await systemNamed(task.system).producer(task.url, {
    keep: 'kept',
    purpose: task.purpose,
  });
  // Connections and compiled code are not what is measured: the first jobs are, in nobody's clock.
  for (let job = 0; job < task.warmUp; job += 1) await producer.one({});
  let offered = task.warmUp;
  channel.counts(() => offered);
  const calls = new Set<Promise<void>>();
  let failure: Error | undefined;
  const call = (): void => {
    const jobs: BenchArgs[] = Array.from({ length: task.rows }, () => ({ at: monotonicNow() }));
    const [first] = jobs;
    if (first === undefined) return;
    const answered = (task.rows === 1 ? producer.one(first, task.delayMs ?? undefined) : producer.many(jobs))
      .then(
        () => {
          offered += task.rows;
        },
        (error: unknown) => {
          failure ??= error instanceof Error ? error : new Error(String(error));
        },
      )
      .finally(() => calls.delete(answered));
    calls.add(answered);
  };
  await channel.ready();
  await everyMs(task.everyMs, Math.round((task.seconds * 1000) / task.everyMs), call);
  await Promise.all(calls);
  await producer.close();
  if (failure !== undefined) throw failure;
  return { offered };
}

/** Calls at even times from now on; after a delay all that are due. */
async function everyMs(ms: number, times: number, call: () => void): Promise<void> {
  const begun = monotonicNow();
  let done = 0;
  while (done < times) {
    const due = Math.min(times, Math.floor((monotonicNow() - begun) / ms) + 1);
    for (; done < due; done += 1) call();
    const wait = begun + done * ms - monotonicNow();
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, wait)));
  }
}
