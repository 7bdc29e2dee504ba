import { parseArgs } from 'node:util';
import type { Holder } from './lanes/hold.js';
import { holders } from './lanes/hold.js';
import type { Lane } from './lanes/lane.js';

export interface CommandLine {
  readonly lane: string;
  /** Names of the peers to measure beside ours. */
  readonly against: readonly string[];
  readonly quick: boolean;
  readonly rounds: number;
  /** NaN in a lane that does not go by the clock. */
  readonly seconds: number;
  readonly perSecond: number;
  readonly holders: readonly Holder[];
  /** Where to put every measurement as JSON. */
  readonly json: string | null;
  /** Put the result below docs/results. */
  readonly write: boolean;
}

export const usage = `npm run bench -- LANE [--against NAME]… [--quick] [--rounds N] [--json FILE] [--write]
    [--seconds N] [--rate N] [--holder NAME]…
  LANE      enqueue, drain, steady, latency, backlog, xmin, churn, kill or cpu;
            base: ours against the commit that perf-base names
  --against a peer to measure beside ours, or all; they are installed on first use
  --quick   under a minute, reduced sizes
  --rounds  how often each case is measured (default 3; xmin, churn and cpu 1, base 9)
  --json    every measurement, to a file
  --write   the result, to docs/results/bench-LANE.md and .json
  --seconds how long jobs are offered (default: steady 60, latency 10, xmin 240; less with --quick)
  --rate    xmin: jobs offered a second (default 4000)
  --holder  xmin: what holds a snapshot: ${holders.join(', ')}, or all (default nobody, reader, writer)`;

/** What may be named. */
export interface Known {
  readonly lanes: Readonly<Record<string, Pick<Lane, 'rounds' | 'seconds'>>>;
  readonly peers: readonly string[];
}

/** @throws an Error that says what to correct */
export function parseCommandLine(args: readonly string[], { lanes, peers }: Known): CommandLine {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      against: { type: 'string', multiple: true, default: [] },
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      rate: { type: 'string', default: '4000' },
      holder: { type: 'string', multiple: true, default: ['nobody', 'reader', 'writer'] },
      json: { type: 'string' },
      write: { type: 'boolean', default: false },
    },
  });
  const [lane = '', ...rest] = positionals;
  const { [lane]: defaults } = lanes;
  if (!Object.hasOwn(lanes, lane) || defaults === undefined || rest.length > 0)
    throw new Error(`Name one lane: ${Object.keys(lanes).join(', ')}.`);
  if (defaults.seconds === undefined && values.seconds !== undefined)
    throw new Error(`${lane} does not go by the clock: leave --seconds out.`);
  const { quick, write } = values;
  const seconds = defaults.seconds?.[quick ? 'quick' : 'full'];
  return {
    ...{ lane, quick, write, against: named('--against', values.against, peers) },
    ...{ perSecond: positive('--rate', values.rate), holders: named('--holder', values.holder, holders) },
    rounds: positive('--rounds', values.rounds ?? String(defaults.rounds)),
    seconds: seconds === undefined ? NaN : positive('--seconds', values.seconds ?? String(seconds)),
    json: values.json ?? null,
  };
}

function named<Name extends string>(
  option: string,
  names: readonly string[],
  known: readonly Name[],
): readonly Name[] {
  if (names.includes('all')) return known;
  const unknown = names.find((name) => !known.some((each) => each === name));
  if (unknown !== undefined) throw new Error(`${option} takes ${known.join(', ')} or all, not ${unknown}.`);
  return known.filter((name) => names.includes(name));
}

function positive(name: string, text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new Error(`${name} takes a whole number from 1 on, not ${text}.`);
  return Number(text);
}
