const needsEscape = /["\\]/;
const escaped = /["\\]/g;

/** PG array text of values that hold no comma, brace, quote, backslash or space: numbers and booleans. */
export function encodePlainArray(values: readonly (string | number | boolean | null)[]): string {
  let text = '{';
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (i > 0) text += ',';
    text += value === null ? 'NULL' : String(value);
  }
  return text + '}';
}

/** PG array text of any other values: text, tid, jsonb. */
export function encodeQuotedArray(values: readonly (string | null)[]): string {
  let text = '{';
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (i > 0) text += ',';
    if (value === null || value === undefined) text += 'NULL';
    // Most texts need no escape, and a test is several times cheaper than a replace that finds nothing.
    else text += needsEscape.test(value) ? `"${value.replace(escaped, '\\$&')}"` : `"${value}"`;
  }
  return text + '}';
}

const element = /"((?:[^"\\]|\\.)*)"|([^,{}]+)/gs;

/** The elements of a one-dimensional PG array text. */
export function decodeTextArray(text: string): (string | null)[] {
  const values: (string | null)[] = [];
  for (const match of text.matchAll(element)) {
    const quoted = match[1];
    const plain = match[2] ?? '';
    if (quoted !== undefined) values.push(quoted.replace(/\\(.)/gs, '$1'));
    else values.push(plain === 'NULL' ? null : plain);
  }
  return values;
}
