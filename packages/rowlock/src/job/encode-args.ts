import { ArgsInvalidError } from './errors.js';
import type { KindSettings } from './kind.js';
import { parseArgs } from './parse-args.js';
import { encodePayload } from './payload.js';

/**
 * The args as they are stored: the input, found valid by the kind's schema, as JSON text. What the schema makes of it is
 * made again when the job runs. A promise only where the schema is asynchronous.
 */
export function encodeArgs(
  definition: KindSettings,
  args: unknown,
  maxBytes?: number,
): string | Promise<string> {
  if (definition.schema === undefined) return withoutArgs(definition, args);
  const encode = (): string =>
    encodePayload(args, { field: 'args', ...(maxBytes === undefined ? {} : { maxBytes }) });
  const parsed = parseArgs(definition, args);
  return parsed instanceof Promise ? parsed.then(encode) : encode();
}

function withoutArgs(definition: KindSettings, args: unknown): string {
  if (args === undefined || isEmptyObject(args)) return '{}';
  throw new ArgsInvalidError(definition.kind, [{ path: 'args', message: 'this kind takes no args' }]);
}

function isEmptyObject(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
  );
}
