import type { Cost, Store } from '../host/store.js';
import type { Child } from '../processes/start-child.js';
import { withChildren } from '../processes/start-child.js';
import type { OfferTask, ReceiveResult, ReceiveTask } from '../processes/task.js';
import type { Inspector, Purpose, System } from '../systems/system.js';
import { untilCount } from './until-count.js';

/** Jobs that come by the clock, from one process to a worker in another. */
export interface Offer
  extends
    Pick<OfferTask, 'everyMs' | 'rows' | 'seconds'>,
    Pick<ReceiveTask, 'pollOnly' | 'failFirst' | 'windows'> {
  readonly system: System;
  readonly purpose: Purpose;
  /** By which jobs are due after their call or, with `failFirst`, after the attempt that failed. */
  readonly delayMs: number;
  /** Jobs that were stored before and are not due. @defaultValue none */
  readonly standing?: number;
}

export interface Processes {
  readonly offerer: Child<OfferTask>;
  readonly receiver: Child<ReceiveTask>;
}

export interface Offered<T> {
  /** Jobs offered by the clock. */
  readonly offered: number;
  /** Stored and not started when the last was offered. */
  readonly endBacklog: number;
  readonly latency: ReceiveResult;
  readonly cost: Cost;
  /** What is not as it should be in the end, in words; of a system that cannot keep up, that it did not. */
  readonly problems: readonly string[];
  readonly watched: T;
}

/** Jobs before the clock starts: connections are made and code is compiled meanwhile. */
const warmUp = 100;

export const unwindowed: ReceiveTask['windows'] = { count: 0, ms: 1000, together: [] };

/**
 * @param store where the system's tables are
 * @param watch looks on while jobs are offered
 */
export async function measureOffer<T>(
  store: Store,
  offer: Offer,
  watch: (processes: Processes) => Promise<T>,
): Promise<Offered<T>> {
  const { system } = offer;
  const inspector = await system.inspect(store.url);
  try {
    return await withChildren([receiveTask(store, offer)], ([receiver]) => {
      receiver?.go();
      return withChildren([offerTask(store, offer)], ([offerer]) => {
        if (receiver === undefined || offerer === undefined) throw new TypeError('no children');
        return measureClocked({ store, inspector, offer, receiver, offerer }, watch);
      });
    });
  } finally {
    await inspector.close();
  }
}

interface Clocked extends Processes {
  readonly store: Store;
  readonly inspector: Inspector;
  readonly offer: Offer;
}

async function measureClocked<T>(
  { store, inspector, offer, receiver, offerer }: Clocked,
  watch: (processes: Processes) => Promise<T>,
): Promise<Offered<T>> {
  const stop = await store.meter();
  offerer.go();
  const watching = watch({ offerer, receiver });
  // Reported where it is awaited; a failure before that has its own report.
  watching.catch(() => undefined);
  const stored = (await offerer.ended()).offered;
  const endBacklog = stored - (await receiver.sample()).count;
  const cost = await stop();
  const started = await untilCount(receiver, stored);
  const latency = await receiver.stop();
  const problems =
    started === stored
      ? await inspector.check({
          live: offer.standing ?? 0,
          finished: offer.system.keeps[0] === 'kept' ? stored : 0,
          attempts: offer.failFirst ? 2 : 1,
        })
      : [`${started} of ${stored} jobs had started a minute after the last was offered`];
  return { offered: stored - warmUp, endBacklog, latency, cost, problems, watched: await watching };
}

function receiveTask({ url }: Store, offer: Offer): ReceiveTask {
  const { system, purpose, pollOnly, failFirst, delayMs, windows } = offer;
  return { do: 'receive', system: system.name, url, purpose, pollOnly, failFirst, delayMs, windows };
}

function offerTask({ url }: Store, offer: Offer): OfferTask {
  const { system, purpose, everyMs, rows, seconds, failFirst } = offer;
  const delayMs = offer.delayMs > 0 && !failFirst ? offer.delayMs : null;
  return { do: 'offer', system: system.name, url, purpose, everyMs, rows, seconds, delayMs, warmUp };
}
