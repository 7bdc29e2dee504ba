import type { Machine, Versions } from '../host/machine.js';
import type { LaneResult } from '../lanes/lane.js';
import { renderBar } from './bars.js';
import { plotFile } from './plot.js';
import type { Summary } from './statistics.js';
import { number, renderMarkdown, renderText } from './table.js';

export interface LaneReport extends LaneResult {
  readonly lane: string;
  readonly command: string;
  readonly began: string;
  readonly quick: boolean;
  readonly rounds: number;
  readonly machine: Machine;
  readonly versions: Versions;
  readonly settings: Readonly<Record<string, string>>;
  /** How long 8 kB take to become durable, in ms. */
  readonly flush: { readonly before: Summary; readonly after: Summary };
}

export function reportAsText(report: LaneReport): string {
  return [
    `${report.lane}${report.quick ? ' (quick: reduced sizes, for a look and not for quoting)' : ''}`,
    ...contextOf(report),
    ...report.notes,
    ...report.tables.flatMap((table) => ['', renderText(table)]),
    '',
    ...report.bars.map(renderBar),
  ].join('\n');
}

export function reportAsMarkdown(report: LaneReport): string {
  const { lane, command } = report;
  return [
    `# Lane ${lane}`,
    '',
    `\`${command}\``,
    '',
    ...contextOf(report).map((line) => `- ${line}`),
    ...report.notes.map((line) => `- ${line}`),
    ...report.tables.flatMap((table) => ['', renderMarkdown(table)]),
    ...report.plots.flatMap((plot) => ['', `![${plot.title}](${plotFile(lane, plot)})`]),
    ...(report.bars.length === 0 ? [] : ['', '```', ...report.bars.map(renderBar), '```']),
    '',
  ].join('\n');
}

/** A flush that became twice as slow, or a machine that was busy before: what was measured meanwhile is not to be quoted. */
export function disturbances({ machine, flush }: Pick<LaneReport, 'machine' | 'flush'>): string[] {
  const found: string[] = [];
  const [low, high] = [flush.before.p50, flush.after.p50].sort((a, b) => a - b);
  if ((high ?? NaN) > 2 * (low ?? NaN)) found.push('flush times changed');
  if (machine.load > machine.cores / 2) found.push('the machine was busy before');
  return found;
}

function contextOf(report: LaneReport): string[] {
  const { machine, versions, settings, flush, began, rounds } = report;
  const disturbed = disturbances(report);
  const flushOf = ({ p50, p99 }: Summary): string => `${number(p50)} / ${number(p99)}`;
  return [
    `${began}, ${rounds} ${rounds === 1 ? 'round' : 'rounds'}, ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.system}; load before ${number(machine.load)}`,
    `rowlock ${versions.rowlock} (${versions.commit}), PostgreSQL ${versions.postgresql}, Node ${versions.node}, pg ${versions.pg}, pgbench ${versions.pgbench}`,
    Object.entries(settings)
      .map(([name, value]) => `${name} ${value}`)
      .join(', '),
    `flush of 8 kB, p50 / p99 ms: ${flushOf(flush.before)} before, ${flushOf(flush.after)} after`,
    ...(disturbed.length === 0 ? [] : [`DISTURBED, repeat it: ${disturbed.join(', ')}`]),
  ];
}
