import { describeValue } from '../job/describe.js';
import { ConfigInvalidError } from '../job/errors.js';
import { messageOf } from '../job/message.js';
import { quoteIdentifier } from '../sql/render-schema.js';

/** Throws `ConfigInvalidError` for what is no name of a role. */
export function checkRole(role: unknown, field: string): asserts role is string {
  if (typeof role !== 'string')
    throw new ConfigInvalidError(field, `must be the name of a role (got ${describeValue(role)})`);
  try {
    quoteIdentifier(role);
  } catch (error) {
    throw new ConfigInvalidError(field, `must be the name of a role: ${messageOf(error)}`);
  }
}
