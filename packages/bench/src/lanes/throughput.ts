import type { Cost } from '../host/store.js';
import type { Plot } from '../report/plot.js';
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
  /** Of a peer, as far as known: the share of its ceiling that it has on an undisturbed machine. */
  readonly known?: number | undefined;
  readonly measure: () => Promise<Throughput>;
}

export type Measured = ReadonlyMap<Case, readonly Throughput[]>;

interface Rounds {
  readonly rounds: number;
  readonly log: (line: string) => void;
}

/** A round in which a peer has less than this of what is known of it was disturbed, and would flatter ours. */
const leastOfKnown = 0.85;

export interface InTurn {
  readonly measured: Measured;
  /** Of each round that does not count, why. */
  readonly voided: readonly string[];
}

/**
 * Every case in turn, and again: A B A B, so that a slow minute of the machine hits all. A void round is measured again, as
 * often as there are rounds.
 */
export async function measureInTurn(cases: readonly Case[], { rounds, log }: Rounds): Promise<InTurn> {
  const measured = new Map<Case, Throughput[]>(cases.map((each) => [each, []]));
  const voided: string[] = [];
  for (let round = 1; round <= rounds;) {
    const results = new Map<Case, Throughput>();
    for (const each of cases) {
      const result = await each.measure();
      results.set(each, result);
      log(`round ${round}/${rounds}  ${each.system}  ${each.work}  ${number(rate(result))} jobs/s`);
    }
    const reason = whyVoid(results);
    if (reason === undefined) {
      for (const [each, result] of results) measured.get(each)?.push(result);
      round += 1;
    } else {
      log(`void: ${reason}`);
      if (voided.push(reason) > rounds) break;
    }
  }
  return { measured, voided };
}

function whyVoid(results: ReadonlyMap<Case, Throughput>): string | undefined {
  for (const [{ system, work, against, known }, result] of results) {
    const base = against === null ? undefined : results.get(against);
    if (known === undefined || base === undefined) continue;
    const ratio = rate(result) / rate(base);
    if (ratio < leastOfKnown * known)
      return `${system}, ${work}: ${number(ratio)} of the ceiling, but ${number(known)} is known of it`;
  }
  return undefined;
}

/** Round by round, the first against the second. */
export function ratiosBetween([one, other]: readonly [Case, Case], measured: Measured): number[] {
  return pairedRatios((measured.get(one) ?? []).map(rate), (measured.get(other) ?? []).map(rate));
}

/** Round by round, the case against what it is compared with. */
export function ratiosOf(each: Case, measured: Measured): number[] {
  return each.against === null ? [] : ratiosBetween([each, each.against], measured);
}

export function throughputTable(cases: readonly Case[], measured: Measured): Table {
  const columns = [
    ...['system', 'work', 'jobs/s', 'spread', 'of ceiling', 'lowest to highest'],
    ...['server CPU µs/job', 'DB time µs/job', 'client CPU µs/job', 'WAL B/job'],
  ];
  return { columns, rows: cases.map((each) => rowOf(each, measured)) };
}

/** Jobs a second, one bar for each case. */
export function throughputPlot(cases: readonly Case[], measured: Measured): Plot {
  return {
    ...{ name: 'rates', title: 'Jobs a second', unit: 'jobs/s', shape: 'bars' },
    labels: cases.map(({ system, work }) => `${system}: ${work}`),
    series: [{ name: 'jobs/s', values: cases.map((each) => medianRate(each, measured)) }],
  };
}

export function medianRate(each: Case, measured: Measured): number {
  return median((measured.get(each) ?? []).map(rate));
}

/** Ours and what it is held against. */
export interface Pair {
  readonly ours: Case;
  readonly peer: Case;
}

/** How many times the peer's rate ours has, and how many times the peer's costs. */
export function pairTable(pairs: readonly Pair[], measured: Measured): Table {
  const columns = [
    ...['system', 'work', 'against', 'its work', 'times its jobs/s', 'lowest to highest'],
    ...['times its server CPU', 'times its DB time', 'times its WAL'],
  ];
  return { columns, rows: pairs.map((pair) => pairRow(pair, measured)) };
}

function pairRow({ ours, peer }: Pair, measured: Measured): string[] {
  const ratios = ratiosBetween([ours, peer], measured);
  const costs = (cost: (run: Throughput) => number): string => {
    const [mine = [], its = []] = [ours, peer].map((each) =>
      (measured.get(each) ?? []).map((run) => cost(run) / run.jobs),
    );
    return number(median(pairedRatios(mine, its)));
  };
  return [
    ...[ours.system, ours.work, peer.system, peer.work, number(median(ratios))],
    `${number(Math.min(...ratios))} to ${number(Math.max(...ratios))}`,
    costs(({ cost }) => cost.cpuUs),
    costs(({ cost }) => cost.dbTimeUs),
    costs(({ cost }) => cost.walBytes),
  ];
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
    perJob(({ cost }) => cost.dbTimeUs),
    perJob(({ clientCpuUs }) => clientCpuUs),
    perJob(({ cost }) => cost.walBytes),
  ];
}

function rate({ jobs, seconds }: Throughput): number {
  return jobs / seconds;
}
