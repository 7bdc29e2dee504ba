import { cpus, release } from 'node:os';
import type { RoundResult } from './round-result.js';
import { leaseMs, maxBlockedMs } from './round.js';
import type { Bar, Verdict } from './verdict.js';

export interface Report {
  readonly at: string;
  readonly machine: string;
  readonly seconds: number;
  readonly outageMs: number;
  readonly rounds: readonly RoundResult[];
  /** Rounds that were not run yet. */
  readonly missing: number;
  readonly bars: readonly Bar[];
  readonly verdict: Verdict;
}

export function machineText(postgres: string): string {
  const { length } = cpus();
  return `${length} x ${cpus()[0]?.model.trim() ?? 'unknown'}, ${process.platform} ${release()}, Node ${process.version}, PostgreSQL ${postgres}`;
}

const columns: readonly (readonly [head: string, value: (round: RoundResult) => string])[] = [
  ['nemesis', (round) => round.nemesis],
  ['seed', (round) => String(round.seed)],
  ['hits', (round) => `${round.hitsWhileRunning}/${round.hits}`],
  ['jobs', (round) => String(round.jobs)],
  [
    'rolled back',
    (round) => `${((100 * round.rolledBack) / Math.max(1, round.enqueuesInTransactions)).toFixed(0)} %`,
  ],
  ['attempts', (round) => String(round.attempts)],
  ['refused', (round) => String(round.refused)],
  ['rescues', (round) => String(round.rescues)],
  ['unknown', (round) => String(round.unknown)],
  ['new ids', (round) => String(round.reincarnations)],
  ['given back', ({ recovery }) => seconds(recovery.maxGivenBackMs)],
  [
    'running again',
    ({ recovery }) => `${seconds(recovery.medianStartedAgainMs)} / ${seconds(recovery.maxStartedAgainMs)}`,
  ],
  ['bound', (round) => seconds(round.boundMs)],
  ['quiet after', (round) => seconds(round.quietAfterMs)],
  ['violations', (round) => String(round.violations.reduce((sum, { count }) => sum + count, 0))],
];

function seconds(ms: number | null): string {
  return ms === null ? '-' : `${(ms / 1000).toFixed(1)} s`;
}

/** A table that reads as plain text and as Markdown. */
export function tableOf(rounds: readonly RoundResult[]): string {
  const rows = [
    columns.map(([head]) => head),
    ...rounds.map((round) => columns.map(([, value]) => value(round))),
  ];
  const widths = columns.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map(
    (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  );
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}

export function violationLines(round: RoundResult): string[] {
  return round.violations.flatMap(({ invariant, count, details }) => [
    `VIOLATED ${invariant} (${count}) by ${round.nemesis}, seed ${round.seed}`,
    ...details.map((detail) => `  ${detail}`),
  ]);
}

export function barLines(bars: readonly Bar[]): string[] {
  return bars.map(({ name, value, atLeast }) => {
    const shown = Number.isInteger(value) ? String(value) : value.toFixed(3);
    return `bar ${name} ${shown} >= ${atLeast} ${value >= atLeast ? 'ok' : 'short'}`;
  });
}

export function verdictLine({ verdict, missing }: Report): string {
  switch (verdict) {
    case 'held':
      return 'chaos: every invariant held';
    case 'violated':
      return 'chaos: VIOLATED';
    case 'void':
      return 'chaos: VOID: too little happened for this to show anything; see the bars that are short';
    case 'unfinished':
      return `chaos: UNFINISHED: ${missing} rounds are missing; go on with --resume`;
  }
}

export function markdownOf(report: Report): string {
  const { at, machine, rounds, bars, outageMs } = report;
  return `# Faults

\`npm run chaos\`, ${at}. ${machine}.

Each round: four worker processes with a lease of ${leaseMs / 1000} s (maxBlocked ${maxBlockedMs / 1000} s), producers that enqueue alone and in
transactions, one nemesis for ${report.seconds} s, then calm until every job has ended. An outage lasts ${outageMs / 1000} s. The checker shares no code
with the engine: it compares what producers and handlers wrote down with the tables.

- hits: while handlers ran / in all
- rolled back: share of the enqueues in transactions
- refused: settles of a claim that was no longer the worker's; unknown: statements cut off
- new ids: workers that had to register again
- given back, running again (median / maximum): from the fault until a job whose worker was lost could be claimed, and until its next handler started. Bound: lease
  (two after a restart of the server) + one rescue pass of 1 s. A violation is a bound exceeded by more than 3 s, since the machine is shared.

${tableOf(rounds)}

\`\`\`
${[...rounds.flatMap(violationLines), ...barLines(bars), verdictLine(report)].join('\n')}
\`\`\`
`;
}
