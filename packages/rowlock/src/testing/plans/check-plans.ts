import { openDatabase } from '../../db/database.js';
import type { Claim } from '../../worker/claim.js';
import { registerTestWorker } from '../claims.js';
import { createTestDatabase } from '../database.js';
import { LaneProcess } from '../lane-process.js';
import type { Explain } from './checks.js';
import { batchSize, checks, problemsOf } from './checks.js';
import type { Explanation } from './explain.js';
import { ExplainingSession } from './explain.js';
import { maintain } from './fill.js';
import type { Prepared, Scenario } from './scenarios.js';

/** A statement in a scenario, as it went. */
export interface PlanReport extends Explanation {
  readonly scenario: string;
  readonly statement: string;
  readonly problems: readonly string[];
}

/**
 * Explains every hot statement on the tables of a scenario, as it left them and once they are analyzed: planned afresh,
 * and as a session keeps it that planned it while the tables were empty.
 */
export async function checkPlans(scenario: Scenario, rows: number): Promise<PlanReport[]> {
  const testDatabase = await createTestDatabase();
  const database = openDatabase({ connectionString: testDatabase.url, callTimeLimit: 600_000 });
  const session = await ExplainingSession.open(testDatabase.url);
  try {
    const process = new LaneProcess(database, await registerTestWorker(database));
    const otherWorkerId = await registerTestWorker(database);
    const wanted = Math.ceil(rows * (scenario.share ?? 1));
    const prepared = { database, url: testDatabase.url, process, otherWorkerId, rows: wanted };
    // The worst that a kept plan can have seen: tables that are known to be empty.
    await vacuumAndAnalyze(testDatabase.url);
    await explainAll(session, { scenario: 'nothing yet', prepared, claims: [] });
    await scenario.prepare(prepared);
    // A worker of some standing: its floors have followed, half a second after whatever happened.
    await process.pass();
    await process.pass();
    const claims = await process.claim(batchSize);
    const asLeft = await explainAll(session, { scenario: scenario.name, prepared, claims });
    await vacuumAndAnalyze(testDatabase.url);
    return [
      ...asLeft,
      ...(await explainAll(session, { scenario: `${scenario.name}, analyzed`, prepared, claims })),
    ];
  } finally {
    await session.close();
    await database.close();
    await testDatabase.drop();
  }
}

interface Subject {
  readonly scenario: string;
  readonly prepared: Prepared;
  readonly claims: readonly Claim[];
}

async function explainAll(
  session: ExplainingSession,
  { scenario, prepared, claims }: Subject,
): Promise<PlanReport[]> {
  const reports: PlanReport[] = [];
  for (const [n, check] of checks.entries()) {
    const name = `check_${String(n)}`;
    const ways: [string, Explain][] = [
      ['', (statement, params) => session.afresh(statement, params)],
      [
        ', kept',
        (statement, params) =>
          statement.keepsPlan === true
            ? session.kept(name, statement, params)
            : session.afresh(statement, params),
      ],
    ];
    for (const [suffix, explain] of ways) {
      const explanation = await check.explain(explain, prepared, claims);
      const problems = problemsOf(check, explanation, batchSize);
      reports.push({ scenario, statement: check.name + suffix, ...explanation, problems });
    }
  }
  return reports;
}

function vacuumAndAnalyze(url: string): Promise<void> {
  return maintain(url, 'vacuum analyze rowlock.finished', 'analyze rowlock.job', 'analyze rowlock.worker');
}
