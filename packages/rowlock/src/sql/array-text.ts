const needsEscape = /["\\]/;
const escaped = /["\\]/g;

/** PG array text of values that hold no comma, brace, quote, backslash or space: numbers and booleans. */
export function encodePlainArray(values: readonly (string | number | boolean | null)[]): string {
  // A join writes null as nothing; most arrays have none.
  return `{${values.includes(null) ? values.map((value) => value ?? 'NULL').join(',') : values.join(',')}}`;
}

/** PG array text of any other values: text, tid, jsonb. */
export function encodeQuotedArray(values: readonly (string | null)[]): string {
  return `{${values.map(quoted).join(',')}}`;
}

/** Most texts need no escape, and a test is several times cheaper than a replace that finds nothing. */
function quoted(value: string | null): string {
  if (value === null) return 'NULL';
  return needsEscape.test(value) ? `"${value.replace(escaped, '\\$&')}"` : `"${value}"`;
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
