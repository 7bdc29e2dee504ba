import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkPlans } from '../testing/plans/check-plans.js';
import { scenarios } from '../testing/plans/scenarios.js';

/** Enough for a wrong plan to show in pages; `npm run plans` has the ten million. */
const rows = 20_000;

for (const scenario of scenarios) {
  test(`every hot statement goes by its index and looks at few pages: ${scenario.name}`, async () => {
    const reports = await checkPlans({ ...scenario, share: 1 }, rows);
    const wrong = reports.flatMap((report) =>
      report.problems.map((problem) => `${report.scenario}, ${report.statement}: ${problem}`),
    );
    assert.deepEqual(wrong, []);
  });
}
