import type { Statement } from '../sql/statement.js';

/** Several statements without parameters or rows, sent as one text. */
export function script(name: string, text: string): Statement<Readonly<Record<string, never>>, null> {
  return { name, text, encode: () => [], decode: () => null };
}
