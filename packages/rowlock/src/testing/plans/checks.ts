import { paramsOf } from '../../enqueue/batch.js';
import type { Executor } from '../../db/executor.js';
import { encodeFact } from '../../job/fact.js';
import {
  claimNamed,
  contracts,
  enqueueJobs,
  lookUpClaims,
  parkUnserved,
  pass,
  rescue,
  settleAndClaim,
  settleFacts,
  takeOverClaims,
} from '../../sql/generated/statements.gen.js';
import type { Statement } from '../../sql/statement.js';
import type { Claim } from '../../worker/claim.js';
import { fencesOf } from '../../worker/claim.js';
import { nothingClaimed, plainJob } from '../claims.js';
import { rawStatement } from '../raw-statement.js';
import type { Explanation } from './explain.js';
import type { Prepared } from './scenarios.js';

/** Runs the statement, kept or planned afresh, and tells how. */
export type Explain = <Params, Row>(
  statement: Statement<Params, Row>,
  params: Params,
) => Promise<Explanation>;

/** One hot statement, as a worker of some standing sends it. */
export interface Check {
  readonly name: string;
  readonly contract: { readonly index: string };
  /**
   * Pages it may look at, however large the table: fixed ones, and so many for each of a batch. Thrice what was measured:
   * what is explained is undone, and what that leaves behind costs pages too.
   */
  readonly fixed: number;
  readonly each: number;
  readonly explain: (explain: Explain, prepared: Prepared, claims: readonly Claim[]) => Promise<Explanation>;
}

const pagesOfJobs = rawStatement(
  `select pg_relation_size('rowlock.job'::regclass) / current_setting('block_size')::integer`,
);

export const batchSize = 100;
const rescuePages = 64;
const enqueuePages = 120;
const enqueuePagesEach = 40;

export const checks: readonly Check[] = [
  {
    name: 'claim',
    contract: contracts.settleAndClaim,
    fixed: 120,
    each: 24,
    explain: (explain, { process }) => explain(settleAndClaim, process.claimRequest(batchSize)),
  },
  {
    name: 'claim from the floor',
    contract: contracts.settleAndClaim,
    fixed: 120,
    each: 28,
    explain: (explain, { process }) => {
      process.lanes.lowerAllOnce();
      return explain(settleAndClaim, process.claimRequest(batchSize));
    },
  },
  {
    name: 'claim_named',
    contract: contracts.claimNamed,
    fixed: 120,
    each: 0,
    explain: (explain, { process }, [claimed]) =>
      explain(claimNamed, { workerId: process.workerId, queue: 'default', id: claimed?.id ?? '0' }),
  },
  {
    name: 'settle',
    contract: contracts.settleAndClaim,
    fixed: 40,
    each: 8,
    explain: (explain, { process }, claims) => {
      const tids = claims.map(({ tid }) => tid);
      return explain(settleAndClaim, {
        tids,
        ...fencesOf(claims),
        outputs: null,
        workerId: process.workerId,
        ...nothingClaimed,
      });
    },
  },
  {
    name: 'pass',
    contract: contracts.pass,
    // Most of them are the catalog: functions are planned anew after an analyze.
    fixed: 600,
    each: 0,
    explain: async (explain, { database, process }) => {
      const { runAts, ids } = process.lanes.floors;
      const [row] = await database.run(pass, passParams(runAts, ids, null));
      const openEpoch = row?.openEpoch ?? null;
      return await explain(pass, passParams(runAts, ids, openEpoch));
    },
  },
  {
    name: 'settle_facts',
    contract: contracts.settleFacts,
    fixed: 60,
    each: 60,
    explain: (explain, _prepared, claims) => {
      const facts = claims.map(() => encodeFact({ outcome: 'snooze', delayMs: 1000 }));
      return explain(settleFacts, { ...fencesOf(claims), facts });
    },
  },
  {
    name: 'look_up_claims',
    contract: contracts.lookUpClaims,
    fixed: 60,
    each: 12,
    explain: (explain, _prepared, claims) => {
      const claimedAts = claims.map(({ claimedAt }) => claimedAt);
      return explain(lookUpClaims, { ...fencesOf(claims), claimedAts });
    },
  },
  {
    name: 'look_up_claims, ended',
    contract: contracts.lookUpClaims,
    fixed: 60,
    // Three ranges of 32 pages for each, as far as ids end nearly in order.
    each: 120,
    explain: (explain, { rows }) => {
      const ids = Array.from({ length: batchSize }, (_, n) =>
        String(-1 - n * Math.max(1, Math.floor(rows / batchSize))),
      );
      const claimedAts = ids.map((id) => (Date.now() + Number(id) / 100 - 60_000) * 1000);
      return explain(lookUpClaims, { ids, claimNos: ids.map(() => 1), claimedAts });
    },
  },
  {
    name: 'take_over_claims',
    contract: contracts.takeOverClaims,
    fixed: 20,
    each: 20,
    explain: (explain, { process, otherWorkerId }, claims) =>
      explain(takeOverClaims, {
        ...fencesOf(claims),
        fromWorkerId: process.workerId,
        toWorkerId: otherWorkerId,
      }),
  },
  {
    name: 'enqueue_jobs',
    contract: contracts.enqueueJobs,
    fixed: enqueuePages,
    each: enqueuePagesEach,
    explain: (explain, { database }) => {
      const jobs = Array.from({ length: batchSize }, () => plainJob);
      const bound = enqueuePages + enqueuePagesEach * batchSize;
      return onceCaughtUp(database, () => explain(enqueueJobs, paramsOf(jobs, false)), bound);
    },
  },
  {
    name: 'park_unserved',
    contract: contracts.parkUnserved,
    fixed: 100,
    each: 40,
    explain: (explain, { process }) => {
      const { runAts, ids } = process.lanes.floorsOf(0);
      return explain(parkUnserved, {
        queue: 'default',
        served: ['plain', 'unserved', 'paused'],
        window: batchSize,
        floorRunAts: runAts,
        floorIds: ids,
      });
    },
  },
  {
    name: 'rescue',
    contract: contracts.rescue,
    // Each claimed row asks whether its worker lives; as many rows lie in a page at most.
    fixed: rescuePages + rescuePages * 45 * 2,
    each: 0,
    explain: (explain) => explain(rescue, { fromTid: '(0,0)', toTid: `(${String(rescuePages)},0)` }),
  },
];

/**
 * Updates take room in a page without a note in the map of free space, and whoever inserts next looks, once, at each page
 * that the map is wrong about. Together they may look at each page of the table and of its maps, and then no more.
 */
async function onceCaughtUp(
  database: Executor,
  explainOne: () => Promise<Explanation>,
  bound: number,
): Promise<Explanation> {
  const [row] = await database.run(pagesOfJobs, []);
  const atMost = 3 * Number(row?.[0]);
  let caughtUp = 0;
  for (;;) {
    const explanation = await explainOne();
    if (explanation.buffers <= bound || caughtUp + explanation.buffers > atMost)
      return { ...explanation, caughtUp };
    caughtUp += explanation.buffers;
  }
}

function passParams(
  floorRunAts: readonly number[],
  floorIds: readonly string[],
  openEpoch: string | null,
): Parameters<typeof pass.encode>[0] {
  const closedUntil = Number(openEpoch ?? 0) * 1_000_000;
  return { queues: ['default'], kinds: ['plain'], floorRunAts, floorIds, closedUntil, openEpoch };
}

const tables = /^(?:job|finished(?:_\d+)?|discarded) by (?!Tid (?:Range )?Scan)/;

/** What is wrong with it: a way to a table of jobs that its header does not name, or too many pages. */
export function problemsOf(
  { contract, fixed, each }: Check,
  { ways, buffers }: Explanation,
  batch: number,
): string[] {
  const promised = contract.index;
  const wrong = ways.filter(
    (way) => tables.test(way) || (/^by (?:job|finished|discarded)_/.test(way) && !isPromised(way, promised)),
  );
  const bound = fixed + each * batch;
  const problems = wrong.map((way) => `reaches ${way}, its header says ${promised}`);
  return buffers > bound ? [...problems, `${String(buffers)} pages, at most ${String(bound)}`] : problems;
}

/** The index of a leaf of history is named after its leaf. */
function isPromised(way: string, promised: string): boolean {
  const index = way.slice('by '.length).replace(/^finished_\d+_id.*$/, 'finished_id');
  return promised.includes(index);
}
