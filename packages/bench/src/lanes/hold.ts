import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import type { BenchDatabase } from '../host/bench-server.js';

/**
 * What holds a snapshot. A writer has an xid besides, which holds back what waits for old transactions; readers in turn
 * overlap, so that the oldest snapshot moves on by leaps.
 */
export const holders = ['nobody', 'reader', 'writer', 'enqueuer', 'readers in turn'] as const;
export type Holder = (typeof holders)[number];

/** What an enqueuer does in its transaction. */
export type EnqueueIn = (tx: Client) => Promise<void>;

/** A third of a hold, for each of the readers in turn; each begins while the one before has half of its time left. */
const turns = 3;

/** @returns what ends the hold */
export async function hold(
  { url, client }: BenchDatabase,
  { holder, seconds, enqueue }: { holder: Holder; seconds: number; enqueue: EnqueueIn },
): Promise<() => Promise<void>> {
  await client.query('create table other (note text)');
  if (holder === 'nobody') return () => Promise.resolve();
  if (holder === 'readers in turn') return readInTurn(url, seconds);
  const transaction = await begin(url);
  if (holder === 'writer') await transaction.query("insert into other values ('held')");
  if (holder === 'enqueuer') await enqueue(transaction);
  return () => end(transaction);
}

function readInTurn(url: string, seconds: number): () => Promise<void> {
  const open: Client[] = [];
  let isOver = false;
  const over = (): boolean => isOver;
  const half = (seconds * 1000) / (turns + 1);
  const reading = (async () => {
    for (let turn = 0; turn < turns && !over(); turn += 1) {
      open.push(await begin(url));
      await pause(half, undefined, { ref: false });
      if (open.length > 1) await end(open.shift());
    }
  })();
  reading.catch(() => undefined);
  return async () => {
    isOver = true;
    await reading;
    for (const each of open) await end(each);
  };
}

async function begin(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, application_name: 'holder' });
  await client.connect();
  await client.query('begin isolation level repeatable read');
  await client.query('select count(*) from other');
  return client;
}

async function end(client: Client | undefined): Promise<void> {
  await client?.query('rollback');
  await client?.end();
}
