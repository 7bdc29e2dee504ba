import { check, measureRecovery, type Violation } from './checker/check.js';
import { loadEvidence, type Hit } from './checker/load-evidence.js';
import { withTimelines } from './checker/timeline.js';
import type { Monitor } from './checker/monitor.js';
import type { HarnessDatabase } from './database.js';
import type { Fleet } from './fleet/fleet.js';
import type { Nemesis } from './nemesis/nemesis.js';
import type { Tokens } from './producers/tokens.js';
import type { RoundResult } from './round-result.js';

/** All that is known of a round once its fleet has stopped. */
export interface Case {
  readonly database: HarnessDatabase;
  readonly nemesis: Nemesis;
  readonly seed: number;
  readonly seconds: number;
  readonly fleet: Fleet;
  readonly tokens: Tokens;
  readonly monitor: Monitor;
  readonly hits: readonly Hit[];
  readonly leaseMs: number;
  readonly quietAfterMs: number;
  /** Processes that were not in order when all was over, and such as did not stop when told to. */
  readonly unwell: readonly string[];
  readonly overdue: readonly number[];
}

/** The rescue pass: a round of upkeep, which comes five times a lease, and its sweep. */
const passMs = 1000;
/** What a machine that others use as well may add. */
const slackMs = 3000;

export async function judge(matter: Case): Promise<RoundResult> {
  const { database, nemesis, fleet, tokens, hits } = matter;
  const boundMs = nemesis.recoversWithin(matter.leaseMs) + passMs;
  const journal = fleet.journal();
  await loadEvidence(database, {
    tokens: tokens.records,
    journal,
    hits,
    lossless: nemesis.lossless,
    boundMs: boundMs + slackMs,
  });
  // Without a connection no transaction was begun.
  const inTransactions = tokens.records.filter(
    ({ route, fate }) => route === 'transaction' && fate !== 'refused',
  );
  const told = (event: string): number =>
    journal.filter((line) => line.type === 'told' && line.event === event).length;
  const totals = fleet.totals();
  return {
    nemesis: nemesis.name,
    seed: matter.seed,
    seconds: matter.seconds,
    strikes: hits,
    hits: hits.length,
    hitsWhileRunning: hits.filter(({ running }) => running > 0).length,
    jobs: tokens.records.length,
    enqueuesInTransactions: inTransactions.length,
    rolledBack: inTransactions.filter(({ fate }) => fate === 'rolled back').length,
    attempts: journal.filter(({ type }) => type === 'start').length,
    refused: told('leaseLost'),
    rescues: totals.rescued,
    unknown: totals.cutOff + totals.outcomeUnknown,
    reincarnations: fleet.reincarnations,
    recovery: await measureRecovery(database),
    boundMs,
    quietAfterMs: matter.quietAfterMs,
    looks: matter.monitor.looks,
    violations: [
      ...(await withTimelines(database, await check(database))),
      ...matter.monitor.violations,
      ...disorder(matter),
    ],
  };
}

/** Processes are to be well when all is over, to end when told to, and not before. */
function disorder({ fleet, unwell, overdue }: Case): Violation[] {
  const ends = fleet.unexpectedEnds.map(({ pid, how }) => `process ${pid} ended by itself: ${how}`);
  const late = overdue.map((pid) => `process ${pid} did not stop when told to`);
  const violations: Violation[] = [];
  if (unwell.length > 0) violations.push({ invariant: 'health', count: unwell.length, details: unwell });
  const details = [...ends, ...late];
  if (details.length > 0)
    violations.push({
      invariant: 'process',
      count: details.length,
      details: [...details, ...fleet.lastWords()],
    });
  return violations;
}
