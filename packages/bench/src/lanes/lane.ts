import type { BenchServer } from '../host/bench-server.js';
import type { Bar } from '../report/bars.js';
import type { Table } from '../report/table.js';

export interface LaneContext {
  readonly server: BenchServer;
  readonly quick: boolean;
  readonly rounds: number;
  /** How long the lane xmin holds a snapshot. */
  readonly holdSeconds: number;
  readonly log: (line: string) => void;
}

export interface LaneResult {
  /** What was measured and what each system was given. */
  readonly notes: readonly string[];
  readonly tables: readonly Table[];
  readonly bars: readonly Bar[];
  /** Every single measurement, for the JSON file. */
  readonly measurements: unknown;
}

export type Lane = (context: LaneContext) => Promise<LaneResult>;

/** @throws what a check found */
export function mustBeRight(problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(`the rows are not what they should be: ${problems.join('; ')}`);
}
