// Explains the hot statements on large tables, on the server of `tools/plans.mjs`.
import { parseArgs } from 'node:util';
import { checkPlans } from './check-plans.js';
import { scenarios } from './scenarios.js';

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '10000000' }, scenario: { type: 'string', default: '' } },
});
const rows = Number(values.rows);
let wrong = 0;
console.log(`${'scenario'.padEnd(44)}${'statement'.padEnd(30)}${'pages'.padStart(8)}${'ms'.padStart(10)}`);
for (const scenario of scenarios.filter(({ name }) => name.includes(values.scenario))) {
  for (const report of await checkPlans(scenario, rows)) {
    const { scenario: name, statement, buffers, ms, problems, caughtUp = 0 } = report;
    if (caughtUp > 0)
      console.log(`${name.padEnd(44)}${'(once before)'.padEnd(30)}${String(caughtUp).padStart(8)}`);
    console.log(
      `${name.padEnd(44)}${statement.padEnd(30)}${String(buffers).padStart(8)}${ms.toFixed(2).padStart(10)}`,
    );
    for (const problem of problems) console.log(`  WRONG: ${problem}`);
    wrong += problems.length;
  }
}
console.log(
  `${String(rows)} rows: ${wrong === 0 ? 'every statement goes by its index and looks at few pages' : `${String(wrong)} wrong`}`,
);
process.exitCode = wrong === 0 ? 0 : 1;
