import type { Placement } from '../job/placement.js';
import type { EnqueueAloneParams, EnqueueJobsParams } from '../sql/generated/statements.gen.js';

/** Most rows and characters of args in one statement. */
export const maxRows = 10_000;
export const maxCharacters = 16 * 1_048_576;

/** A job ready to be stored: checked, placed, its args as JSON text. */
export interface NewJob extends Placement {
  readonly kind: string;
  readonly args: string;
}

/** A job as `enqueue_alone` takes it. */
export function aloneParamsOf({ queue, kind, priority, args, ...job }: NewJob): EnqueueAloneParams {
  const { runAtUs: runAt, delayMs, policy } = job;
  const rest = { runAt, delay: delayOf(delayMs), policy: policy === null ? null : JSON.stringify(policy) };
  return { queue, kind, priority, args, ...rest };
}

/** The jobs as `enqueue_jobs` takes them: what is the same for all is sent once, what nobody has not at all. */
export function paramsOf(jobs: readonly NewJob[], wake: boolean): EnqueueJobsParams {
  return {
    queues: once(jobs.map(({ queue }) => queue)),
    kinds: once(jobs.map(({ kind }) => kind)),
    priorities: once(jobs.map(({ priority }) => priority)),
    runAts: orNothing(jobs.map(({ runAtUs }) => runAtUs)),
    delays: orNothing(jobs.map(({ delayMs }) => delayOf(delayMs))),
    policies: orNothing(jobs.map(({ policy }) => (policy === null ? null : JSON.stringify(policy)))),
    args: jobs.map(({ args }) => args),
    wake,
  };
}

export function idsOf(rows: readonly { readonly id: string }[]): string[] {
  return rows.map(({ id }) => id);
}

export function charactersOf(jobs: readonly NewJob[]): number {
  let characters = 0;
  for (const { args } of jobs) characters += args.length;
  return characters;
}

function delayOf(delayMs: number | null): string | null {
  return delayMs === null ? null : String(Math.round(delayMs));
}

function once<T>(values: T[]): readonly T[] {
  const [first] = values;
  return first !== undefined && values.every((value) => value === first) ? [first] : values;
}

function orNothing<T>(values: (T | null)[]): readonly (T | null)[] {
  return values.some((value) => value !== null) ? values : [];
}
