import type { BenchServer } from '../host/bench-server.js';
import type { Bar } from '../report/bars.js';
import type { Plot } from '../report/plot.js';
import type { Table } from '../report/table.js';
import type { System } from '../systems/system.js';
import type { Holder } from './hold.js';

export interface LaneContext {
  readonly server: BenchServer;
  /** The peers to measure beside ours. */
  readonly against: readonly System[];
  readonly quick: boolean;
  readonly rounds: number;
  /** How long jobs are offered, in the lanes that go by the clock; NaN in the others. */
  readonly seconds: number;
  /** xmin: jobs offered a second. */
  readonly perSecond: number;
  /** xmin: what holds a snapshot, one after the other. */
  readonly holders: readonly Holder[];
  readonly log: (line: string) => void;
}

export interface LaneResult {
  /** What was measured and what each system was given. */
  readonly notes: readonly string[];
  readonly tables: readonly Table[];
  readonly bars: readonly Bar[];
  readonly plots: readonly Plot[];
  /** Every single measurement, for the JSON file. */
  readonly measurements: unknown;
}

export interface Lane {
  /** How often each case is measured unless told otherwise. */
  readonly rounds: number;
  /** Of a lane that goes by the clock: how long jobs are offered unless told otherwise. */
  readonly seconds?: { readonly full: number; readonly quick: number };
  readonly measure: (context: LaneContext) => Promise<LaneResult>;
}

/** @throws what a check found */
export function mustBeRight(problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(`the rows are not what they should be: ${problems.join('; ')}`);
}
