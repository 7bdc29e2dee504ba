import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCampaign } from './campaign.js';
import { readOptions, usage, UsageError } from './options.js';
import { barLines, markdownOf, tableOf, verdictLine, violationLines } from './report.js';
import { exitCodes } from './verdict.js';

const resultFile = fileURLToPath(new URL('../../../docs/results/chaos.md', import.meta.url));

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options === undefined) {
    console.log(usage);
    return 0;
  }
  const report = await runCampaign(options);
  console.log(`\n${tableOf(report.rounds)}\n`);
  for (const line of [
    ...report.rounds.flatMap(violationLines),
    ...barLines(report.bars),
    verdictLine(report),
  ])
    console.log(line);
  if (options.write) {
    await mkdir(dirname(resultFile), { recursive: true });
    await writeFile(resultFile, markdownOf(report));
  }
  return exitCodes[report.verdict];
}

/** Ours, or that of the parser of arguments. */
function isUsageError(error: unknown): error is Error {
  return (
    error instanceof UsageError ||
    (error instanceof TypeError && String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS'))
  );
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

try {
  process.exitCode = await main();
} catch (error) {
  if (!isUsageError(error)) throw error;
  console.error(`${error.message}\n\n${usage}`);
  process.exitCode = 64;
}
