import { quoteIdentifier } from './render-schema.js';
import type { Statement } from './statement.js';

type Nothing = Readonly<Record<string, never>>;

/** The one statement whose text depends on a value: LISTEN takes no parameter. */
export function listenTo(channel: string): Statement<Nothing, Nothing> {
  return {
    name: 'listen',
    text: `listen ${quoteIdentifier(channel)}`,
    encode: () => [],
    decode: () => ({}),
  };
}
