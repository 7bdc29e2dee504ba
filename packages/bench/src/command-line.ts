import { parseArgs } from 'node:util';

export interface CommandLine {
  readonly lane: string;
  readonly quick: boolean;
  readonly rounds: number;
  readonly holdSeconds: number;
  /** Where to put every measurement as JSON. */
  readonly json: string | null;
  /** Put the result below docs/results. */
  readonly write: boolean;
}

export const usage = `npm run bench -- LANE [--quick] [--rounds N] [--json FILE] [--write] [--hold SECONDS]
  LANE      drain, enqueue, latency or xmin
  --quick   under a minute, reduced sizes
  --rounds  how often each case is measured (default 3; xmin 1)
  --json    every measurement, to a file
  --write   the result, to docs/results/bench-LANE.md and .json
  --hold    xmin: how long the snapshot is held (default 240, with --quick 14)`;

/** @throws an Error that says what to correct */
export function parseCommandLine(args: readonly string[], lanes: readonly string[]): CommandLine {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      hold: { type: 'string' },
      json: { type: 'string' },
      write: { type: 'boolean', default: false },
    },
  });
  const [lane, ...rest] = positionals;
  if (lane === undefined || !lanes.includes(lane) || rest.length > 0)
    throw new Error(`Name one lane: ${lanes.join(', ')}.`);
  const { quick, write } = values;
  return {
    ...{ lane, quick, write },
    rounds: positive('--rounds', values.rounds ?? (lane === 'xmin' ? '1' : '3')),
    holdSeconds: positive('--hold', values.hold ?? (quick ? '14' : '240')),
    json: values.json ?? null,
  };
}

function positive(name: string, text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new Error(`${name} takes a whole number from 1 on, not ${text}.`);
  return Number(text);
}
