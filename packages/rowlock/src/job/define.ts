import type { Backoff } from './backoff.js';
import { isBackoff } from './backoff.js';
import { checkBoolean, checkChoice, checkInteger, checkKeys, checkObject } from './check.js';
import { describeValue } from './describe.js';
import type { Duration } from './duration.js';
import { toPositiveMilliseconds } from './duration.js';
import { ConfigInvalidError } from './errors.js';
import type { Handler, HandlerFunction } from './handler.js';
import type { Keep, KindSettings } from './kind.js';
import { checkName } from './name.js';
import { attemptRange, defaultPolicy, defaultPriority, defaultQueue, priorityRange } from './policy.js';
import type { JobOptions, JobRequest } from './request.js';
import type { InferInput, InferOutput, StandardSchemaV1 } from './standard-schema.js';
import type { TypeWitness } from './witness.js';

export interface DefineJobOptions<Schema extends StandardSchemaV1, Output> {
  /** A Standard Schema (Zod, Valibot, ArkType …) or `type<Args>()`. @defaultValue absent: the kind takes no args */
  readonly args?: Schema | undefined;
  /** Type of what the handler returns: `type<Output>()`. @defaultValue absent: the handler returns nothing */
  readonly output?: TypeWitness<Output> | undefined;
  /** @defaultValue 'default' */
  readonly queue?: string | undefined;
  /** 0 to 9, the lower one first. @defaultValue 5 */
  readonly priority?: number | undefined;
  /** Attempts before the job is discarded, 1 to 10000. @defaultValue 10 */
  readonly maxAttempts?: number | undefined;
  /** Deaths of a worker during the job before it is discarded, 1 to 10000. @defaultValue 5 */
  readonly maxCrashes?: number | undefined;
  /** Longest run of one attempt, after which its signal aborts. @defaultValue '15m' */
  readonly timeout?: Duration | undefined;
  /** Delay before the next attempt. @defaultValue exponential({ base: '2s', factor: 2, max: '1h', jitter: 0.2 }) */
  readonly backoff?: Backoff | undefined;
  /** History of finished jobs: none, 'short' (1 day) or 'long' (7 days). @defaultValue 'long' */
  readonly keep?: Keep | undefined;
  /** Whether history keeps the args. @defaultValue true */
  readonly keepArgs?: boolean | undefined;
}

/** The parameters after the definition: args may be left out where the kind takes none. `any` is not none. */
export type ArgsAndOptions<Args, Options> = 0 extends 1 & Args
  ? [args: Args, options?: Options]
  : [Args] extends [void]
    ? [args?: undefined, options?: Options]
    : [args: Args, options?: Options];

/** A kind of job: what it takes, gives and how it is run. `Args` go in, `Parsed` reach the handler. */
export interface JobDefinition<Args = void, Parsed = Args, Output = void> extends KindSettings {
  readonly schema: StandardSchemaV1<Args, Parsed> | undefined;
  /** Carries the type only; never set. */
  readonly outputType?: Output;
  /** This kind with args and options, as `enqueueMany` takes it. */
  with(...parameters: ArgsAndOptions<Args, JobOptions>): JobRequest;
  /** This kind with the function that runs it, as a worker takes it. */
  handle(run: HandlerFunction<Parsed, Output>): Handler;
}

const knownOptions = [
  'args',
  'output',
  'queue',
  'priority',
  'maxAttempts',
  'maxCrashes',
  'timeout',
  'backoff',
  'keep',
  'keepArgs',
];

/** Declares a kind of job. Its name is stored with every job: rename it only while none are live. */
export function defineJob<Schema extends StandardSchemaV1 = StandardSchemaV1<void>, Output = void>(
  kind: string,
  options: DefineJobOptions<Schema, Output> = {},
): JobDefinition<InferInput<Schema>, InferOutput<Schema>, Output> {
  checkName(kind, 'kind');
  checkObject(options, 'options', `its options are ${knownOptions.join(', ')}`);
  checkKeys(options, kind, knownOptions);
  const settings = settingsOf(kind, options);
  return {
    ...settings,
    schema: settings.schema,
    with: (args?: unknown, own: JobOptions = {}) => ({ definition: settings, args, options: own }),
    handle: (run) => {
      checkRun(run, kind);
      return { definition: settings, run };
    },
  };
}

function settingsOf(kind: string, options: DefineJobOptions<StandardSchemaV1, unknown>): KindSettings {
  const { queue = defaultQueue, priority = defaultPriority, keep = 'long', keepArgs = true } = options;
  const { maxAttempts = defaultPolicy.maxAttempts, maxCrashes = defaultPolicy.maxCrashes } = options;
  const { backoff = { data: defaultPolicy.backoff }, timeout = defaultPolicy.timeoutMs } = options;
  checkName(queue, `${kind}.queue`);
  checkInteger(priority, `${kind}.priority`, priorityRange);
  checkInteger(maxAttempts, `${kind}.maxAttempts`, attemptRange);
  checkInteger(maxCrashes, `${kind}.maxCrashes`, attemptRange);
  checkChoice(keep, `${kind}.keep`, ['none', 'short', 'long']);
  checkBoolean(keepArgs, `${kind}.keepArgs`);
  checkBackoff(backoff, `${kind}.backoff`);
  checkSchema(options.args, `${kind}.args`);
  const timeoutMs = toPositiveMilliseconds(timeout, `${kind}.timeout`);
  const policy = { maxAttempts, maxCrashes, timeoutMs, backoff: backoff.data };
  return { kind, queue, priority, policy, backoff, keep, keepArgs, schema: options.args };
}

function checkRun(run: unknown, kind: string): void {
  if (typeof run === 'function') return;
  const got = describeValue(run);
  throw new ConfigInvalidError(`${kind}.handle`, `must be given the function that runs the job (got ${got})`);
}

function checkBackoff(backoff: unknown, field: string): void {
  if (isBackoff(backoff)) return;
  throw new ConfigInvalidError(field, 'is not a backoff: use exponential(), linear(), fixed() or custom()');
}

function checkSchema(schema: unknown, field: string): void {
  if (schema === undefined) return;
  // ArkType's schemas are functions.
  const holder = typeof schema === 'object' || typeof schema === 'function' ? schema : null;
  if (holder !== null && '~standard' in holder) return;
  throw new ConfigInvalidError(
    field,
    'is not a Standard Schema: use Zod, Valibot, ArkType …, or type<Args>()',
  );
}
