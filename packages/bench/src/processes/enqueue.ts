import { Client } from 'pg';
import { systemNamed } from '../systems/registry.js';
import type { BenchArgs, Producer } from '../systems/system.js';
import { argsOfLength } from './args.js';
import type { Channel } from './channel.js';
import { sampleOf } from './channel.js';
import type { EnqueueResult, EnqueueTask } from './task.js';

export async function enqueue(task: EnqueueTask, channel: Channel): Promise<EnqueueResult> {
  const producer = systemNamed(task.system).producer(task.url, 'kept');
  const caller = new Client({ connectionString: task.url });
  await caller.connect();
  const call = callOf(task, producer, caller);
  await inFlight(call, { calls: task.warmUp, atOnce: task.inFlight });
  await channel.ready();
  const begun = sampleOf(0);
  await inFlight(call, { calls: task.calls, atOnce: task.inFlight });
  const ended = sampleOf(0);
  await producer.close();
  await caller.end();
  return {
    jobs: task.calls * task.rows,
    seconds: (ended.at - begun.at) / 1000,
    cpuUs: ended.cpuUs - begun.cpuUs,
  };
}

function callOf(task: EnqueueTask, producer: Producer, caller: Client): () => Promise<void> {
  const args = argsOfLength(task.argsBytes);
  const many: readonly BenchArgs[] = Array.from({ length: task.rows }, () => args);
  switch (task.how) {
    case 'one':
      return () => producer.one(args);
    case 'many':
      return () => producer.many(many);
    case 'transaction':
      return () => inTransaction(caller, () => producer.inTransaction(caller, args));
    case 'bare':
      return () => inTransaction(caller, () => Promise.resolve());
  }
}

async function inTransaction(caller: Client, work: () => Promise<void>): Promise<void> {
  await caller.query('begin');
  await caller.query('insert into orders (note) values ($1)', ['paid']);
  await work();
  await caller.query('commit');
}

interface Calls {
  readonly calls: number;
  readonly atOnce: number;
}

async function inFlight(call: () => Promise<void>, { calls, atOnce }: Calls): Promise<void> {
  let left = calls;
  const one = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await call();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
}
