import { startServer } from '@rowlock/embedded';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readOptions, usage, UsageError, type CampaignOptions } from './options.js';
import {
  barLines,
  machineText,
  markdownOf,
  tableOf,
  verdictLine,
  violationLines,
  type Report,
} from './report.js';
import type { RoundResult } from './round-result.js';
import { runRound } from './round.js';
import { barsOf, exitCodes, verdictOf } from './verdict.js';

const resultFile = fileURLToPath(new URL('../../../docs/results/chaos.md', import.meta.url));

async function runCampaign(options: CampaignOptions): Promise<Report> {
  const { nemeses, seeds, seconds, outageMs } = options;
  // A server that restarts must be ours, whatever DATABASE_URL says.
  const server = await startServer({ ignoreDatabaseUrl: true, settings: { max_connections: '200' } });
  const rounds: RoundResult[] = [];
  try {
    for (const nemesis of nemeses) {
      for (const seed of seeds) {
        console.log(`${nemesis.name}, seed ${seed}: ${nemesis.what}`);
        const round = await runRound(server, { nemesis, seed, seconds, outageMs });
        rounds.push(round);
        for (const line of violationLines(round)) console.log(line);
      }
    }
    const bars = barsOf(nemeses, rounds);
    const machine = machineText(server.version);
    return {
      at: new Date().toISOString(),
      machine,
      seconds,
      outageMs,
      rounds,
      bars,
      verdict: verdictOf(rounds, bars),
    };
  } finally {
    await server.stop();
  }
}

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
    verdictLine(report.verdict),
  ])
    console.log(line);
  if (options.json !== undefined) await writeFile(options.json, `${JSON.stringify(report, null, 2)}\n`);
  if (options.write) {
    await mkdir(dirname(resultFile), { recursive: true });
    await writeFile(resultFile, markdownOf(report));
  }
  return exitCodes[report.verdict];
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message}\n\n${usage}`);
  process.exitCode = 64;
}
