import { ArgsInvalidError } from './errors.js';
import type { ArgsIssue } from './errors.js';
import type { KindSettings } from './kind.js';
import { pathText } from './path.js';
import type { StandardIssue, StandardResult } from './standard-schema.js';

/**
 * The args as the handler gets them; throws `ArgsInvalidError`. A promise only where the schema is asynchronous, so that
 * others cost no turn of the event loop.
 */
export function parseArgs(definition: KindSettings, value: unknown): unknown {
  if (definition.schema === undefined) return undefined;
  const result = definition.schema['~standard'].validate(value);
  if (isPromise(result)) return Promise.resolve(result).then((settled) => parsed(definition, settled));
  return parsed(definition, result);
}

function parsed(definition: KindSettings, result: StandardResult<unknown>): unknown {
  if (result.issues === undefined) return result.value;
  throw new ArgsInvalidError(definition.kind, result.issues.map(issueOf));
}

function issueOf(issue: StandardIssue): ArgsIssue {
  const keys = (issue.path ?? []).map((step) => (typeof step === 'object' ? step.key : step));
  return { path: pathText('args', keys), message: issue.message };
}

function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
