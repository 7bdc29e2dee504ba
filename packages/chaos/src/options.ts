import { parseArgs } from 'node:util';
import { nemeses } from './nemesis/nemeses.js';
import type { Nemesis } from './nemesis/nemesis.js';

export interface CampaignOptions {
  readonly nemeses: readonly Nemesis[];
  readonly seeds: readonly number[];
  /** How long faults strike in each round. */
  readonly seconds: number;
  readonly outageMs: number;
  /** No round begins after this many. */
  readonly minutes: number;
  readonly json: string | undefined;
  /** Takes over the rounds that the JSON file holds already. */
  readonly resume: boolean;
  /** Writes the result to docs/results/chaos.md. */
  readonly write: boolean;
}

/** What was asked for cannot be done; the message says why. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const usage = `npm run chaos -- [--nemesis NAME…] [--seconds 180] [--seeds 1,2,3] [--quick]
             [--json FILE [--resume]] [--minutes M] [--write]

  --nemesis  one or more of: ${nemeses.map(({ name }) => name).join(', ')} (default: all, one after the other)
  --seconds  how long faults strike in a round (default 180)
  --seeds    a round for each seed (default 1,2,3)
  --quick    20 seconds, one seed, an outage of 15 s instead of 60 s
  --json     writes everything that was measured to FILE, after each round
  --resume   takes over the rounds that FILE holds already
  --minutes  begins no round after this long; go on with --resume
  --write    writes the table to docs/results/chaos.md

Exit code: 0 all invariants held, 1 one was violated, 2 void: too little happened to show
anything, 3 rounds are missing.`;

/** @returns undefined when only help was asked for */
export function readOptions(argv: readonly string[]): CampaignOptions | undefined {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      nemesis: { type: 'string', multiple: true },
      seconds: { type: 'string' },
      seeds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      minutes: { type: 'string' },
      json: { type: 'string' },
      resume: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const { quick, json, resume, write } = values;
  return {
    nemeses: nemesesNamed([...(values.nemesis ?? []), ...positionals].flatMap((names) => names.split(','))),
    seeds: (values.seeds ?? (quick ? '1' : '1,2,3')).split(',').map((seed) => positive(seed, '--seeds')),
    seconds: positive(values.seconds ?? (quick ? '20' : '180'), '--seconds'),
    outageMs: quick ? 15_000 : 60_000,
    minutes: values.minutes === undefined ? Infinity : positive(values.minutes, '--minutes'),
    json,
    resume,
    write,
  };
}

function nemesesNamed(names: readonly string[]): readonly Nemesis[] {
  if (names.length === 0) return nemeses;
  return names.map((name) => {
    const found = nemeses.find((nemesis) => nemesis.name === name);
    if (found === undefined) throw new UsageError(`there is no nemesis ${JSON.stringify(name)}`);
    return found;
  });
}

function positive(text: string, option: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number <= 0)
    throw new UsageError(`${option} takes whole numbers above 0 (got ${text})`);
  return number;
}
