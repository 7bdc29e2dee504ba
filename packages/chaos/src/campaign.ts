import { startServer } from '@rowlock/embedded';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { CampaignOptions } from './options.js';
import { machineText, violationLines, type Report } from './report.js';
import type { RoundResult } from './round-result.js';
import { runRound } from './round.js';
import { barsOf, verdictOf } from './verdict.js';

/** A round of each nemesis with each seed, one after the other; those that an earlier run has done are taken over. */
export async function runCampaign(options: CampaignOptions): Promise<Report> {
  const { nemeses, seeds, seconds, outageMs, minutes } = options;
  const began = performance.now();
  const done = roundsBefore(options);
  // A server that restarts must be ours, whatever DATABASE_URL says.
  const server = await startServer({ ignoreDatabaseUrl: true, settings: { max_connections: '200' } });
  const report = (): Report => {
    const rounds = plan(options).flatMap(({ nemesis, seed }) => find(done, nemesis.name, seed) ?? []);
    const bars = barsOf(nemeses, rounds);
    const missing = nemeses.length * seeds.length - rounds.length;
    const base = { at: new Date().toISOString(), machine: machineText(server.version), seconds, outageMs };
    return { ...base, rounds, missing, bars, verdict: verdictOf(rounds, bars, missing) };
  };
  try {
    for (const { nemesis, seed } of plan(options)) {
      if (find(done, nemesis.name, seed) !== undefined) continue;
      if (performance.now() - began > minutes * 60_000) break;
      console.log(`${nemesis.name}, seed ${seed}: ${nemesis.what}`);
      const round = await runRound(server, { nemesis, seed, seconds, outageMs });
      done.push(round);
      for (const line of violationLines(round)) console.log(line);
      keep(report(), options);
    }
    return report();
  } finally {
    await server.stop();
  }
}

function plan({
  nemeses,
  seeds,
}: CampaignOptions): { nemesis: CampaignOptions['nemeses'][number]; seed: number }[] {
  return nemeses.flatMap((nemesis) => seeds.map((seed) => ({ nemesis, seed })));
}

function find(rounds: readonly RoundResult[], nemesis: string, seed: number): RoundResult | undefined {
  return rounds.find((round) => round.nemesis === nemesis && round.seed === seed);
}

function roundsBefore({ json, resume, seconds, outageMs }: CampaignOptions): RoundResult[] {
  if (!resume || json === undefined || !existsSync(json)) return [];
  const before = JSON.parse(readFileSync(json, 'utf8')) as Report;
  return before.seconds === seconds && before.outageMs === outageMs ? [...before.rounds] : [];
}

function keep(report: Report, { json }: CampaignOptions): void {
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`);
}
