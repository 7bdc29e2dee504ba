import { checkOptions } from '../job/check.js';
import { describeValue } from '../job/describe.js';
import { encodeArgs } from '../job/encode-args.js';
import { ArgsInvalidError, ConfigInvalidError, PayloadInvalidError } from '../job/errors.js';
import { isDefinition } from '../job/kind.js';
import { jobOptionNames, placementOf } from '../job/placement.js';
import type { JobRequest } from '../job/request.js';
import type { NewJob } from './batch.js';

/** The job that a request asks for. A promise only where the schema of its args is asynchronous. */
export function newJob(request: JobRequest, maxArgsBytes: number): NewJob | Promise<NewJob> {
  const { definition } = request;
  const placement = placementOf(request);
  const args = encodeArgs(definition, request.args, maxArgsBytes);
  if (args instanceof Promise)
    return args.then((text) => ({ ...placement, kind: definition.kind, args: text }));
  return { ...placement, kind: definition.kind, args };
}

/** The jobs of all requests; an error about one of them says which. */
export async function newJobs(requests: readonly JobRequest[], maxArgsBytes: number): Promise<NewJob[]> {
  if (!Array.isArray(requests)) {
    const got = describeValue(requests);
    throw new ConfigInvalidError(
      'requests',
      `must be an array of definition.with(args, options) (got ${got})`,
    );
  }
  const jobs: NewJob[] = [];
  for (const [index, request] of (requests as readonly JobRequest[]).entries()) {
    checkRequest(request, index);
    try {
      checkOptions(request.options, '', jobOptionNames);
      const job = newJob(request, maxArgsBytes);
      jobs.push(job instanceof Promise ? await job : job);
    } catch (error) {
      throw withPlace(error, `requests[${String(index)}]`);
    }
  }
  return jobs;
}

function checkRequest(request: Partial<JobRequest> | null | undefined, index: number): void {
  if (isDefinition(request?.definition)) return;
  const got = describeValue(request);
  throw new ConfigInvalidError(
    `requests[${String(index)}]`,
    `is not made by definition.with(args, options) (got ${got})`,
  );
}

/** The error with its field or path where the caller finds it. */
function withPlace(error: unknown, place: string): unknown {
  if (error instanceof PayloadInvalidError) {
    const { path, problem, cause } = error;
    return new PayloadInvalidError(`${place}.${path}`, problem, cause === undefined ? {} : { cause });
  }
  if (error instanceof ArgsInvalidError) {
    const issues = error.issues.map(({ path, message }) => ({ path: `${place}.${path}`, message }));
    return new ArgsInvalidError(error.kind, issues);
  }
  if (error instanceof ConfigInvalidError) {
    const { field, problem } = error;
    return new ConfigInvalidError(`${place}.${field === 'options' ? '' : 'options.'}${field}`, problem);
  }
  return error;
}
