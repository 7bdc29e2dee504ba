import type { Cost } from '../host/bench-server.js';
import { median, pairedRatios, spread } from '../report/statistics.js';
import type { Table } from '../report/table.js';
import { number, percent } from '../report/table.js';

export interface Throughput {
  readonly jobs: number;
  readonly seconds: number;
  readonly cost: Cost;
  /** CPU time of the system's own processes; NaN if not known. */
  readonly clientCpuUs: number;
}

export interface Case {
  readonly system: string;
  readonly work: string;
  /** What it is compared with; null: with nothing. */
  readonly against: Case | null;
  readonly measure: () => Promise<Throughput>;
}

export type Measured = ReadonlyMap<Case, readonly Throughput[]>;

interface Rounds {
  readonly rounds: number;
  readonly log: (line: string) => void;
}

/** Every case in turn, and again: A B A B, so that a slow minute of the machine hits all. */
export async function measureInTurn(cases: readonly Case[], { rounds, log }: Rounds): Promise<Measured> {
  const measured = new Map<Case, Throughput[]>(cases.map((each) => [each, []]));
  for (let round = 1; round <= rounds; round += 1) {
    for (const each of cases) {
      const result = await each.measure();
      measured.get(each)?.push(result);
      log(`round ${round}/${rounds}  ${each.system}  ${each.work}  ${number(rate(result))} jobs/s`);
    }
  }
  return measured;
}

/** Round by round, the case against what it is compared with. */
export function ratiosOf(each: Case, measured: Measured): number[] {
  if (each.against === null) return [];
  return pairedRatios((measured.get(each) ?? []).map(rate), (measured.get(each.against) ?? []).map(rate));
}

export function throughputTable(cases: readonly Case[], measured: Measured): Table {
  const columns = [
    ...['system', 'work', 'jobs/s', 'spread', 'of ceiling', 'lowest to highest'],
    ...['server CPU µs/job', 'client CPU µs/job', 'WAL B/job'],
  ];
  return { columns, rows: cases.map((each) => rowOf(each, measured)) };
}

export function plainMeasurements(measured: Measured): unknown {
  return [...measured].map(([{ system, work, against }, runs]) => ({
    system,
    work,
    against: against === null ? null : `${against.system}: ${against.work}`,
    runs,
  }));
}

function rowOf(each: Case, measured: Measured): string[] {
  const runs = measured.get(each) ?? [];
  const perJob = (total: (run: Throughput) => number): string =>
    number(median(runs.map((run) => total(run) / run.jobs)));
  const rates = runs.map(rate);
  const ratios = ratiosOf(each, measured);
  const range = `${number(Math.min(...ratios))} to ${number(Math.max(...ratios))}`;
  return [
    ...[each.system, each.work, number(median(rates)), percent(spread(rates))],
    ...(ratios.length === 0 ? ['-', '-'] : [number(median(ratios)), range]),
    perJob(({ cost }) => cost.cpuUs),
    perJob(({ clientCpuUs }) => clientCpuUs),
    perJob(({ cost }) => cost.walBytes),
  ];
}

function rate({ jobs, seconds }: Throughput): number {
  return jobs / seconds;
}
