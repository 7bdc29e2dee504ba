import { Client } from 'pg';
import { systemNamed } from '../systems/registry.js';
import type { BenchArgs, Producer } from '../systems/system.js';
import { argsOfLength } from './args.js';
import type { Channel } from './channel.js';
import { sampleOf } from './channel.js';
import type { EnqueueResult, EnqueueTask } from './task.js';

export async function enqueue(task: EnqueueTask, channel: Channel): Promise<EnqueueResult> {
  const { call, close } = await (task.system === null ? driverCalls(task) : systemCalls(task, task.system));
  await inFlight(call, { calls: task.warmUp, atOnce: task.inFlight });
  await channel.ready();
  const begun = sampleOf(0);
  await inFlight(call, { calls: task.calls, atOnce: task.inFlight });
  const ended = sampleOf(0);
  await close();
  return {
    jobs: task.calls * task.rows,
    seconds: (ended.at - begun.at) / 1000,
    cpuUs: ended.cpuUs - begun.cpuUs,
  };
}

interface Callable {
  readonly call: () => Promise<unknown>;
  readonly close: () => Promise<void>;
}

async function systemCalls(task: EnqueueTask, name: string): Promise<Callable> {
  const system = systemNamed(name);
  const producer = await system.producer(task.url, { keep: system.keeps[0], purpose: 'throughput' });
  if (task.how !== 'transaction') return { call: callOf(task, producer), close: () => producer.close() };
  const caller = await callerOn(task.url);
  const args = argsOfLength(task.argsBytes);
  return {
    call: () => inTransaction(caller, () => producer.inTransaction(caller, args)),
    close: async () => {
      await producer.close();
      await caller.end();
    },
  };
}

function callOf(task: EnqueueTask, producer: Producer): () => Promise<void> {
  const args = argsOfLength(task.argsBytes);
  if (task.how === 'one') return () => producer.one(args);
  const many: readonly BenchArgs[] = Array.from({ length: task.rows }, () => args);
  return () => producer.many(many);
}

const insertJob = {
  name: 'insert_job',
  text: `insert into ceiling.job (queue, kind, priority, run_at, created_at, args)
         values ('default', 'bench', 5, clock_timestamp(), clock_timestamp(), $1)`,
};

async function driverCalls(task: EnqueueTask): Promise<Callable> {
  const caller = await callerOn(task.url);
  const values = [JSON.stringify(argsOfLength(task.argsBytes))];
  const insert = (): Promise<unknown> => caller.query({ ...insertJob, values });
  const calls: Partial<Record<EnqueueTask['how'], () => Promise<unknown>>> = {
    caller: () => inTransaction(caller, () => Promise.resolve()),
    insert,
    both: () => inTransaction(caller, insert),
  };
  const call = calls[task.how];
  if (call === undefined) throw new Error(`the driver alone cannot enqueue by ${task.how}`);
  return { call, close: () => caller.end() };
}

async function callerOn(url: string): Promise<Client> {
  const caller = new Client({ connectionString: url });
  await caller.connect();
  await caller.query(
    'create table if not exists orders (id bigint generated always as identity primary key, note text not null)',
  );
  return caller;
}

async function inTransaction(caller: Client, work: () => Promise<unknown>): Promise<void> {
  await caller.query('begin');
  await caller.query('insert into orders (note) values ($1)', ['paid']);
  await work();
  await caller.query('commit');
}

interface Calls {
  readonly calls: number;
  readonly atOnce: number;
}

async function inFlight(call: () => Promise<unknown>, { calls, atOnce }: Calls): Promise<void> {
  let left = calls;
  const one = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await call();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
}
