import type { Fact } from '../../job/fact.js';
import type {
  ClaimNamedParams,
  ClaimNamedRow,
  EndWorkerParams,
  LookUpClaimsParams,
  LookUpClaimsRow,
  MarkDeadWorkersRow,
  ParkUnservedRow,
  RegisterWorkerRow,
  RescueRow,
  SettleAndClaimParams,
  SettleAndClaimRow,
  SettleFactsParams,
  SettleFactsRow,
  TakeOverClaimsParams,
  TakeOverClaimsRow,
} from '../../sql/generated/statements.gen.js';
import type { Answer } from '../../worker/claim.js';
import { fenceOf, readAnswer, readNamed } from '../../worker/claim.js';
import type { QueueRequest } from './claim-order.js';
import { checkOrder } from './claim-order.js';
import type { ClaimedRow, Ledger } from './ledger.js';
import { hold, label } from './model-job.js';

/** One statement that was answered. */
export interface Answered {
  readonly ledger: Ledger;
  readonly name: string;
  readonly params: unknown;
  readonly rows: unknown;
  /** The database's clock before and after it. */
  readonly before: number;
  readonly after: number;
  /** No other statement was under way. */
  readonly alone: boolean;
  /** Whoever asked was told. */
  readonly heard: boolean;
}

export interface Effect {
  readonly rank: number;
  readonly tell: () => void;
}

const ranks = { settled: 0, refused: 1, claimed: 2 } as const;

type Observer = (answered: Answered) => Effect[];

const observers: Readonly<Record<string, Observer>> = {
  settle_and_claim: (answered) => [...settles(answered), ...claims(answered)],
  claim_named: claimsByName,
  settle_facts: facts,
  rescue: rescues,
  take_over_claims: takeOvers,
  look_up_claims: lookUps,
  park_unserved: ({ ledger, rows }) =>
    (rows as ParkUnservedRow[]).map(({ id }) => effect(ranks.settled, () => ledger.park(id))),
  register_worker: ({ ledger, rows }) =>
    (rows as RegisterWorkerRow[]).map(({ workerId }) =>
      effect(ranks.settled, () => ledger.register(workerId)),
    ),
  mark_dead_workers: ({ ledger, rows }) =>
    (rows as MarkDeadWorkersRow[]).map(({ workerId }) => effect(ranks.settled, () => ledger.bury(workerId))),
  end_worker: ({ ledger, params }) => {
    const { workerId, unstarted } = params as EndWorkerParams;
    return [effect(ranks.settled, () => ledger.bury(workerId, unstarted))];
  },
};

/** What the ledger is to be told of a statement. */
export function observe(answered: Answered): Effect[] {
  return observers[answered.name]?.(answered) ?? [];
}

function effect(rank: number, tell: () => void): Effect {
  return { rank, tell };
}

function settles({ ledger, params, rows }: Answered): Effect[] {
  const { tids, ids, claimNos } = params as SettleAndClaimParams;
  const missing = new Set(readAnswer(rows as SettleAndClaimRow[]).missed);
  return ids.map((id, i) => {
    const claimNo = claimNos[i] ?? 0;
    if (!missing.has(fenceOf({ id, claimNo })))
      return effect(ranks.settled, () => void ledger.settle(id, claimNo, { outcome: 'completed' }));
    return effect(ranks.refused, () => {
      const { holder } = ledger.job(id);
      const wasThere = holder?.claimNo === claimNo && holder.tid === tids[i];
      hold(!wasThere, () => `the holder's settle missed: ${label(ledger.job(id))}`);
    });
  });
}

function claims({ ledger, params, rows, before, alone, heard }: Answered): Effect[] {
  const request = params as SettleAndClaimParams;
  const answer = readAnswer(rows as SettleAndClaimRow[]);
  const { mayClaim, claims: claimed } = answer;
  const tell = (): void => {
    holdAlive(ledger, request.workerId, answer);
    const ofQueue = (queue: string): ClaimedRow[] => claimed.filter((row) => row.queue === queue);
    hold(
      request.queues.flatMap(ofQueue).length === claimed.length,
      () => 'claims from a queue that was not asked',
    );
    for (const queue of requestsOf(request, before)) {
      const found = ofQueue(queue.queue);
      const isPaused = ledger.pausedQueues.has(queue.queue);
      hold(!isPaused || found.length === 0, () => `${queue.queue} is paused, and yet jobs were claimed`);
      if (alone && !isPaused && mayClaim) checkOrder(ledger, queue, found);
    }
    for (const row of claimed) ledger.claim(row, request.workerId, { heard });
  };
  return [effect(ranks.claimed, tell)];
}

function claimsByName({ ledger, params, rows, before, alone, heard }: Answered): Effect[] {
  const { workerId, queue, id } = params as ClaimNamedParams;
  const answer = readNamed(rows as ClaimNamedRow[]);
  const tell = (): void => {
    holdAlive(ledger, workerId, answer);
    for (const row of answer.claims) {
      const isIt = row.id === id && row.queue === queue;
      hold(isIt, () => `${row.id} of ${row.queue} was claimed, ${id} of ${queue} was named`);
      hold(!ledger.pausedQueues.has(queue), () => `${queue} is paused, and yet ${id} was claimed`);
      hold(!ledger.job(id).parked, () => `${id} is parked, and yet it was claimed by name`);
      ledger.claim(row, workerId, { heard });
    }
    const mayHave = alone && answer.mayClaim && !ledger.pausedQueues.has(queue);
    const isThere = ledger.claimable(queue, { parked: false, dueBy: before }).some((job) => job.id === id);
    hold(!mayHave || !isThere, () => `left behind though named: ${label(ledger.job(id))}`);
  };
  return [effect(ranks.claimed, tell)];
}

function holdAlive(ledger: Ledger, workerId: string, { mayClaim, claims }: Answer): void {
  const isAlive = ledger.isAlive(workerId);
  hold(mayClaim === isAlive, () => `worker ${workerId} was told wrongly whether it lives`);
  hold(claims.length === 0 || isAlive, () => `worker ${workerId} is dead and claimed`);
}

function requestsOf(params: SettleAndClaimParams, dueBy: number): QueueRequest[] {
  return params.queues.map((queue, i) => ({
    queue,
    slots: params.slots[i] ?? 0,
    dueBy,
    headRunAts: params.headRunAts.slice(i * 10, i * 10 + 10),
    headIds: params.headIds.slice(i * 10, i * 10 + 10),
    parkedKinds: params.parkedKinds.filter((_, k) => params.parkedQueues[k] === queue),
  }));
}

function facts({ ledger, params, rows, before, after, alone }: Answered): Effect[] {
  const request = params as SettleFactsParams;
  return (rows as SettleFactsRow[]).map(({ id, claimNo, answer, state, runAt }) => {
    if (answer === 'settled') {
      const i = request.ids.findIndex((other, k) => other === id && request.claimNos[k] === claimNo);
      const fact = JSON.parse(request.facts[i] ?? '{}') as Fact;
      return effect(ranks.settled, () => {
        const decision = ledger.settle(id, claimNo, fact);
        hold(
          decision.state === state,
          () => `${fact.outcome} led to ${String(state)}, not ${decision.state}: ${label(ledger.job(id))}`,
        );
        if (runAt !== null && decision.place === 'live')
          ledger.returned(id, runAt, { ...decision, before, after });
      });
    }
    return effect(ranks.refused, () => {
      const isTheirs = ledger.holds(id, claimNo);
      hold(!isTheirs, () => `the holder's settle was ${answer}: ${label(ledger.job(id))}`);
      const isLocked = ledger.job(id).lockedBy !== null;
      hold(
        answer === 'refused' || isLocked || !alone,
        () => `nobody has it locked: ${label(ledger.job(id))}`,
      );
    });
  });
}

function rescues({ ledger, rows, before, after }: Answered): Effect[] {
  return (rows as RescueRow[]).map(({ id, claimNo, state }) =>
    effect(ranks.settled, () => {
      const job = ledger.job(id);
      hold(
        job.holder !== null && !ledger.isAlive(job.holder.workerId),
        () => `rescued from a living worker: ${label(job)}`,
      );
      const unstarted = ledger.wentOn(job.holder.workerId);
      hold(
        !unstarted || !job.holder.heard,
        () => `given back as never begun, though its process was told: ${label(job)}`,
      );
      const isHarmless = unstarted && job.claimNo - job.attempt < 100;
      const outcome = isHarmless ? 'release' : 'crashed';
      const decision = ledger.settle(id, claimNo, { outcome, unstarted });
      hold(
        decision.state === state,
        () => `a rescue (${outcome}) led to ${state}, not ${decision.state}: ${label(job)}`,
      );
      if (decision.place === 'live') ledger.awaitPlace(id, { ...decision, before, after });
    }),
  );
}

function takeOvers({ ledger, params, rows }: Answered): Effect[] {
  const { ids, claimNos, fromWorkerId, toWorkerId } = params as TakeOverClaimsParams;
  // A process may know of two claims of one job: the earlier was taken from it.
  const knownOf = (id: string): number[] => claimNos.filter((_, i) => ids[i] === id);
  return (rows as TakeOverClaimsRow[]).map(({ id }) =>
    effect(ranks.settled, () => ledger.takeOver(id, knownOf(id), { from: fromWorkerId, to: toWorkerId })),
  );
}

function lookUps({ ledger, params, rows }: Answered): Effect[] {
  const { ids } = params as LookUpClaimsParams;
  const answers = rows as LookUpClaimsRow[];
  hold(answers.length === ids.length, () => 'a claim that was looked up has no answer');
  return answers.map(({ id, claimNo, found }) =>
    effect(ranks.refused, () => {
      const expected = ledger.traceOf(id, claimNo);
      hold(
        found === expected,
        () => `claim ${String(claimNo)} was found ${found}, not ${expected}: ${label(ledger.job(id))}`,
      );
    }),
  );
}
