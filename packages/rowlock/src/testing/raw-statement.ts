import type { EncodedParam, Statement } from '../sql/statement.js';

/** SQL of a test, as the seam to the database takes it; rows stay raw text. */
export function rawStatement(text: string): Statement<readonly EncodedParam[], readonly (string | null)[]> {
  return { name: 'test', text, encode: (params) => [...params], decode: (row) => row };
}
