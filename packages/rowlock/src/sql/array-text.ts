const needsEscape = /["\\]/;
const escaped = /["\\]/g;

/** PG array text of values that hold no comma, brace, quote, backslash or space: numbers and booleans. */
export function encodePlainArray(values: readonly (string | number | boolean | null)[]): string {
  // A join writes null as nothing; most arrays have none.
  return `{${values.includes(null) ? values.map((value) => value ?? 'NULL').join(',') : values.join(',')}}`;
}

/** PG array text of any other values: text, jsonb. */
export function encodeQuotedArray(values: readonly (string | null)[]): string {
  return `{${values.map(quoted).join(',')}}`;
}

/** Of addresses: they need quotes and no escape. */
export function encodeTidArray(values: readonly string[]): string {
  return values.length === 0 ? '{}' : `{"${values.join('","')}"}`;
}

/** Most texts need no escape, and a test is several times cheaper than a replace that finds nothing. */
function quoted(value: string | null): string {
  if (value === null) return 'NULL';
  return needsEscape.test(value) ? `"${value.replace(escaped, '\\$&')}"` : `"${value}"`;
}

const element = /"((?:[^"\\]|\\.)*)"|([^,{}]+)/gs;

/**
 * The elements of a one-dimensional PG array text. Here and below, null has none: so an aggregate over no rows answers.
 */
export function decodeTextArray(text: string | null): (string | null)[] {
  if (text === null) return [];
  if (!text.includes('"') && !text.includes('NULL')) return decodePlainArray(text);
  const values: (string | null)[] = [];
  for (const match of text.matchAll(element)) {
    const quoted = match[1];
    const plain = match[2] ?? '';
    if (quoted !== undefined) values.push(quoted.replace(/\\(.)/gs, '$1'));
    else values.push(plain === 'NULL' ? null : plain);
  }
  return values;
}

/** Of values that are never quoted, and of which none is null: numbers and booleans. */
export function decodePlainArray(text: string | null): string[] {
  return text === null || text === '{}' ? [] : text.slice(1, -1).split(',');
}

/** Of numbers that JS can hold, of which none is null. */
export function decodeNumberArray(text: string | null): number[] {
  return text === null ? [] : (JSON.parse(`[${text.slice(1, -1)}]`) as number[]);
}

/** Of addresses, which are always quoted. */
export function decodeTidArray(text: string | null): string[] {
  return text === null || text === '{}' ? [] : text.slice(2, -2).split('","');
}

/** One element a line. */
export function decodeLines(text: string | null): string[] {
  return text === null ? [] : text.split('\n');
}
