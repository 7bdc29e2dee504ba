import type { Fact } from '../../job/fact.js';
import { released } from '../../job/fact.js';
import { markDead, rescuePages, sweep } from '../../maintenance/rescue.js';
import { parkUnserved, settleAndClaim, settleFacts } from '../../sql/generated/statements.gen.js';
import type { Claim } from '../../worker/claim.js';
import { fencesOf } from '../../worker/claim.js';
import { nothingClaimed } from '../claims.js';
import { until } from '../until.js';
import type { Model } from './model.js';
import { hold, label } from './model-job.js';
import { newJobs } from './new-jobs.js';
import { OpenClaim } from './open-claim.js';
import type { SimulatedProcess } from './process.js';
import { enqueueWatched } from './producer.js';
import type { Random } from './random.js';
import { readClock } from './watched-executor.js';
import { allKinds, kinds, queues } from './world.js';

export interface Step {
  readonly name: string;
  readonly weight: number;
  readonly run: (model: Model) => Promise<void>;
}

/** More pages than the table ever has. */
const allPages = 1_000_000;
const far = Number.MAX_SAFE_INTEGER;
/** More come by themselves where steps are slow. */
const lateCommits = 3;

export const steps: readonly Step[] = [
  { name: 'enqueue', weight: 12, run: enqueueAlone },
  { name: 'produce', weight: 30, run: produce },
  { name: 'cycle', weight: 40, run: (model) => cycle(model, model.random.pick(model.processes)) },
  { name: 'claim by name', weight: 12, run: claimByName },
  { name: 'pass', weight: 12, run: pass },
  { name: 'settle facts', weight: 20, run: settle },
  { name: 'park', weight: 8, run: (model) => model.random.pick(model.processes).park() },
  { name: 'look up', weight: 6, run: (model) => model.random.pick(model.processes).lookUp() },
  { name: 'settle late', weight: 14, run: settleLate },
  { name: 'at once', weight: 10, run: atOnce },
  { name: 'claim slowly', weight: 4, run: claimSlowly },
  { name: 'crash', weight: 2, run: crash },
  { name: 'follow up', weight: 1, run: (model) => model.random.pick(model.processes).followUp() },
  { name: 'mark dead', weight: 2, run: bury },
  { name: 'sweep', weight: 3, run: sweepAll },
  { name: 'lap', weight: 2, run: lap },
  { name: 'pause queue', weight: 1, run: pauseQueue },
  { name: 'pause kind', weight: 2, run: pauseKind },
  { name: 'park kind', weight: 2, run: parkSome },
  { name: 'shift', weight: 2, run: shift },
  { name: 'vacuum', weight: 1, run: (model) => model.vacuum() },
];

async function enqueueAlone(model: Model): Promise<void> {
  const jobs = await enqueueWatched(model.database, model.ledger, newJobs(model.random, model.ledger.clock));
  model.ledger.commit(jobs);
  model.counts.committed += jobs.length;
}

/** A producer goes on: opens a transaction, adds to it, sets savepoints and undoes them, or ends it. */
async function produce(model: Model): Promise<void> {
  const { random, ledger } = model;
  const producer = random.pick(model.producers);
  const choice = random.next();
  if (!producer.isOpen) {
    await producer.begin(random.chance(0.3) ? random.between(200, 600) : random.between(0, 15));
    await producer.enqueue(newJobs(random, ledger.clock));
  } else if (choice < 0.4) await producer.enqueue(newJobs(random, ledger.clock));
  else if (choice < 0.6) await producer.savepoint();
  else if (choice < 0.8 && producer.hasSavepoint) await producer.release();
  else if (producer.hasSavepoint) {
    model.counts.rolledBack += producer.uncommitted.length;
    await producer.rollBackToSavepoint();
    model.counts.rolledBack -= producer.uncommitted.length;
  }
}

async function cycle(model: Model, process: SimulatedProcess): Promise<void> {
  const { random, counts } = model;
  const done = random.some(
    process.claims.filter((claim) => process.mayRun(claim)),
    0.5,
  );
  const drops = random.chance(0.04);
  if (drops) model.executor.dropNextAnswer();
  counts.dropped += Number(drops);
  const claimed = await process.cycle({ done, slots: random.chance(0.8) ? random.between(1, 12) : 0 });
  counts.claimed += claimed.length;
  counts.completed += done.length;
}

/** As a ring would name it; it may be claimed, parked, due later or gone by now, or be another queue's. */
async function claimByName(model: Model): Promise<void> {
  const { random, counts, ledger } = model;
  if (ledger.live.length === 0) return;
  const { id, queue } = random.pick(ledger.live);
  const drops = random.chance(0.04);
  if (drops) model.executor.dropNextAnswer();
  counts.dropped += Number(drops);
  const named = random.chance(0.95) ? queue : random.pick(queues);
  counts.claimed += (await random.pick(model.processes).claimNamed(named, id)).length;
}

async function pass(model: Model): Promise<void> {
  const process = model.random.pick(model.processes);
  await process.pass();
  model.counts.passes += 1;
  if (model.random.chance(0.8)) await cycle(model, process);
}

async function settle(model: Model): Promise<void> {
  const { random, counts } = model;
  const process = random.pick(model.processes);
  const claims = random.some(process.claims, 0.5);
  const drops = claims.length > 0 && random.chance(0.08);
  if (drops) model.executor.dropNextAnswer();
  counts.dropped += Number(drops);
  counts.facts += claims.length;
  await process.settle(claims, () => someFact(random));
}

function someFact(random: Random): Fact {
  const error = { name: 'Error', message: 'by chance', code: null, stack: '' } as unknown as NonNullable<
    Fact['error']
  >;
  return random.pick<Fact>([
    { outcome: 'completed' },
    { outcome: 'completed', output: '{"ok":true}' },
    { outcome: 'failed', error },
    { outcome: 'failed', error, delayMs: random.between(0, 400) },
    { outcome: 'retry', delayMs: random.between(0, 100) },
    { outcome: 'snooze', delayMs: random.between(0, 600) },
    { outcome: 'cancel', reason: 'by chance' },
    { outcome: 'discard', reason: 'by chance' },
    released,
    released,
  ]);
}

/** Settles that come after a crash, by a claim_no that may have been followed and an address that may be another's. */
async function settleLate(model: Model): Promise<void> {
  const { random, ledger } = model;
  if (model.zombies.length === 0) return;
  const { claims, workerId } = random.pick(model.zombies);
  const late = random.some(claims, 0.5).filter(({ id }) => ledger.job(id).lockedBy === null);
  model.counts.refused += late.filter(({ id, claimNo }) => !ledger.holds(id, claimNo)).length;
  if (late.length === 0) return;
  const fences = fencesOf(late);
  if (random.chance(0.4)) {
    await model.executor.run(settleFacts, {
      ...fences,
      facts: late.map(() => JSON.stringify(someFact(random))),
    });
    return;
  }
  await model.executor.run(settleAndClaim, {
    tids: tidsOf(model, late),
    ...fences,
    outputs: null,
    workerId,
    ...nothingClaimed,
  });
}

/** Their own addresses, or those where the rows are now, as a row that moved back would have it. */
function tidsOf({ ledger, random }: Model, claims: readonly Claim[]): string[] {
  return claims.map(({ id, tid }) => (random.chance(0.5) ? tid : (ledger.job(id).holder?.tid ?? tid)));
}

/** Several processes and producers at the same time. */
async function atOnce(model: Model): Promise<void> {
  const { random } = model;
  const cycles = model.processes.map((process) => {
    const done = random.some(
      process.claims.filter((claim) => process.mayRun(claim)),
      0.5,
    );
    model.counts.completed += done.length;
    const named = random.pick([...model.ledger.live, undefined]);
    const slots = random.between(1, 10);
    if (named === undefined || done.length > 0) return () => process.cycle({ done, slots });
    return () => process.claimNamed(named.queue, named.id);
  });
  const commits = model.producers
    .filter((producer) => producer.isOpen && producer.patience <= 0)
    .map((producer) => () => commit(model, producer.uncommitted.length, () => producer.commit()));
  await model.executor.together([...cycles, ...commits]);
}

async function commit(model: Model, jobs: number, work: () => Promise<void>): Promise<void> {
  await work();
  model.counts.committed += jobs;
}

async function claimSlowly(model: Model): Promise<void> {
  if (model.openClaims.length >= 3) return;
  const { random } = model;
  const claim = new OpenClaim(random.pick(model.processes), model.ledger, random.between(1, 150));
  await claim.begin(model.database, random.between(1, 6));
  model.openClaims.push(claim);
  model.counts.openClaims += 1;
}

/** However quick the steps are, some transactions outlast the second in which they began. */
async function outlastSecond({ executor, ledger }: Model): Promise<void> {
  const second = ledger.clock + 1_000_000;
  await until(async () => (await readClock(executor, ledger)) > second);
}

/** What has been open for long enough ends, one way or the other. */
export async function endWhatIsDue(model: Model, all = false): Promise<void> {
  const { random, counts } = model;
  for (const producer of model.producers.filter(({ isOpen }) => isOpen)) {
    producer.patience -= 1;
    if (producer.patience > 0 && !all) continue;
    const jobs = producer.uncommitted.length;
    if (jobs > 0 && counts.lateCommits < lateCommits && random.chance(0.05)) await outlastSecond(model);
    const late = producer.uncommitted.some(({ runAt }) => runAt < model.ledger.clock - 1_000_000);
    const isCommitted = random.chance(0.75);
    await (isCommitted ? producer.commit() : producer.rollBack());
    counts[isCommitted ? 'committed' : 'rolledBack'] += jobs;
    counts.lateCommits += Number(isCommitted && late);
  }
  for (const claim of model.openClaims) claim.patience -= 1;
  const due = model.openClaims.filter(({ patience }) => all || patience <= 0);
  model.openClaims = model.openClaims.filter((claim) => !due.includes(claim));
  for (const claim of due) {
    const rollsBack = random.chance(0.5);
    await (rollsBack ? claim.rollBack() : claim.commit());
    counts.claimsRolledBack += Number(rollsBack);
  }
}

async function crash(model: Model): Promise<void> {
  const process = model.random.pick(model.processes);
  model.zombies.push(process.crash());
  if (model.zombies.length > 12) model.zombies.shift();
  await process.boot();
  model.counts.crashes += 1;
}

async function bury(model: Model): Promise<void> {
  const [judge, ...others] = model.processes;
  const living = new Set(model.processes.map(({ workerId }) => workerId));
  for (const { workerId } of model.zombies) if (!living.has(workerId)) await model.expire(workerId);
  if (judge === undefined) return;
  // Now and then a living process is held dead, and learns of it at its next claim.
  const wronged = others.find(() => model.random.chance(0.2));
  if (wronged !== undefined) await model.expire(wronged.workerId);
  await markDead(model.executor, judge.workerId, far);
  if (wronged !== undefined && model.random.chance(0.5)) await wronged.followUp();
}

async function sweepAll(model: Model): Promise<void> {
  model.counts.rescued += (await sweep(model.executor)).jobs;
  await replaceTheDead(model);
}

async function lap(model: Model): Promise<void> {
  model.counts.rescued += (await rescuePages(model.executor, 0, allPages)).jobs;
  const left = model.ledger.orphans();
  hold(left.length === 0, () => `a lap left behind: ${left.map(label).join('; ')}`);
  await replaceTheDead(model);
}

/** As a process does that is told that it is dead. */
async function replaceTheDead(model: Model): Promise<void> {
  for (const process of model.processes)
    if (!model.ledger.isAlive(process.workerId)) await process.followUp();
}

async function pauseQueue(model: Model): Promise<void> {
  const name = model.random.pick(queues);
  await model.pauseQueue(name, !model.ledger.pausedQueues.has(name) && model.random.chance(0.4));
}

async function pauseKind(model: Model): Promise<void> {
  const { name } = model.random.pick(kinds);
  await model.pauseKind(name, !model.pausedKinds.has(name) && model.random.chance(0.4));
}

async function parkSome(model: Model): Promise<void> {
  const unserved = model.random.pick(['foreign', ...model.pausedKinds]);
  const served = allKinds.filter((kind) => kind !== unserved);
  const window = model.random.pick([5, 5000]);
  const { runAts, ids } = model.random.pick(model.processes).lanes.floorsOf(0);
  const request = { queue: queues[0], served, window, floorRunAts: runAts, floorIds: ids };
  model.counts.parked += (await model.executor.run(parkUnserved, request)).length;
}

async function shift(model: Model): Promise<void> {
  // The rows of an open claim are locked.
  if (model.openClaims.length > 0) return;
  await model.shift(model.random.chance(0.8) ? model.random.between(1, 3_000_000) : 3_600_000_000);
}
