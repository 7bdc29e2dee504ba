import type { Executor } from '../db/executor.js';
import type { NewJob } from '../enqueue/batch.js';
import { paramsOf } from '../enqueue/batch.js';
import type { Fact } from '../job/fact.js';
import { encodeFact } from '../job/fact.js';
import type { SettleFactsRow } from '../sql/generated/statements.gen.js';
import { enqueueJobs, registerWorker, settleAndClaim, settleFacts } from '../sql/generated/statements.gen.js';
import type { Claim } from '../worker/claim.js';
import { fencesOf, readAnswer } from '../worker/claim.js';

/** A job with nothing of its own. */
export const plainJob: NewJob = {
  queue: 'default',
  kind: 'plain',
  priority: 5,
  args: '{}',
  runAtUs: null,
  delayMs: null,
  policy: null,
};

/** The parts of `settle_and_claim`, for those who only claim and those who only settle. */
export const nothingSettled = { tids: [], ids: [], claimNos: [], outputs: null };
export const nothingClaimed = {
  queues: [],
  slots: [],
  headRunAts: [],
  headIds: [],
  parkedQueues: [],
  parkedKinds: [],
};

/** The start of each lane of one queue. */
export const laneStarts = { headRunAts: Array<number>(10).fill(0), headIds: Array<string>(10).fill('0') };

export async function enqueue(executor: Executor, ...jobs: Partial<NewJob>[]): Promise<string[]> {
  const rows = await executor.run(
    enqueueJobs,
    paramsOf(
      jobs.map((job) => ({ ...plainJob, ...job })),
      false,
    ),
  );
  return rows.map(({ id }) => id);
}

export async function registerTestWorker(executor: Executor): Promise<string> {
  const incarnation = {
    leaseMs: 60_000,
    pid: 1,
    host: 'test',
    version: 'test',
    queues: ['default'],
    kinds: ['plain'],
  };
  const [row] = await executor.run(registerWorker, incarnation);
  if (row === undefined) throw new TypeError('register_worker answered no row');
  return row.workerId;
}

/** Claims from the start of every lane of the default queue. */
export async function claim(executor: Executor, workerId: string, slots = 100): Promise<Claim[]> {
  const start = { queues: ['default'], slots: [slots], ...laneStarts };
  const params = { ...nothingSettled, ...nothingClaimed, ...start, workerId };
  return readAnswer(await executor.run(settleAndClaim, params)).claims;
}

/** Completes claims at the addresses that they know. @returns how many were not found there */
export async function settleAtAddress(executor: Executor, claims: readonly Claim[]): Promise<number> {
  const settled = {
    tids: claims.map(({ tid }) => tid),
    ...fencesOf(claims),
    outputs: null,
  };
  const params = { ...settled, ...nothingClaimed, workerId: '0' };
  return readAnswer(await executor.run(settleAndClaim, params)).missed.length;
}

export function settleByFact(
  executor: Executor,
  claims: readonly Claim[],
  fact: Fact,
): Promise<SettleFactsRow[]> {
  return executor.run(settleFacts, { ...fencesOf(claims), facts: claims.map(() => encodeFact(fact)) });
}
