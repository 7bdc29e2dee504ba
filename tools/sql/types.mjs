// How a type of a statement header looks in TypeScript, and the expressions that encode and decode it.
const scalars = {
  bigint: { ts: 'string', quoted: false },
  int: { ts: 'number', quoted: false, decode: 'decodeNumberArray' },
  smallint: { ts: 'number', quoted: false, decode: 'decodeNumberArray' },
  float8: { ts: 'number', quoted: false },
  us: { ts: 'number', quoted: false, decode: 'decodeNumberArray' },
  boolean: { ts: 'boolean', quoted: false },
  text: { ts: 'string', quoted: true },
  tid: { ts: 'string', quoted: true, encode: 'encodeTidArray', decode: 'decodeTidArray' },
  jsonb: { ts: 'string', quoted: true },
  // Only line[], a text: elements without a line break, one a line.
  line: { ts: 'string', lines: true, decode: 'decodeLines' },
};

function parseType(type) {
  const [, name, nullableElement, array, nullable] = /^([a-z0-9]+)(\?)?(\[\])?(\?)?$/.exec(type);
  const isArray = array !== undefined;
  return {
    scalar: scalars[name],
    isArray,
    nullableElement: isArray && nullableElement !== undefined,
    nullable: nullable !== undefined || (!isArray && nullableElement !== undefined),
  };
}

export function isKnownType(type) {
  return Object.hasOwn(scalars, /^[a-z0-9]+/.exec(type)[0]);
}

export function typescriptType(type) {
  const { scalar, isArray, nullableElement, nullable } = parseType(type);
  const element = nullableElement ? `(${scalar.ts} | null)` : scalar.ts;
  return (isArray ? `readonly ${element}[]` : scalar.ts) + (nullable ? ' | null' : '');
}

export function encodeExpression(name, type) {
  const { scalar, isArray, nullable } = parseType(type);
  const value = `p.${name}`;
  if (!isArray) return value;
  if (scalar.lines) return `${value}.join('\\n')`;
  const { encode = scalar.quoted ? 'encodeQuotedArray' : 'encodePlainArray' } = scalar;
  const encoded = `${encode}(${value})`;
  return nullable ? `${value} === null ? null : ${encoded}` : encoded;
}

export function decodeExpression(index, type) {
  const { scalar, isArray, nullableElement, nullable } = parseType(type);
  const raw = `r[${index}]`;
  if (isArray) return guarded(raw, nullable, decodeArray(raw, scalar, nullableElement));
  if (scalar.ts === 'string') return `${raw} as string${nullable ? ' | null' : ''}`;
  return guarded(raw, nullable, scalar.ts === 'number' ? `Number(${raw})` : `${raw} === 't'`);
}

/** An array is null where an aggregate saw no rows: without elements. */
function decodeArray(raw, scalar, nullableElement) {
  const { ts, quoted } = scalar;
  const byType = scalar.decode ?? (quoted ? 'decodeTextArray' : 'decodePlainArray');
  const decode = nullableElement ? 'decodeTextArray' : byType;
  const texts = `${decode}(${raw} as string | null)`;
  if (ts === 'string')
    return decode === 'decodeTextArray' && !nullableElement ? `${texts} as string[]` : texts;
  if (decode === 'decodeNumberArray') return texts;
  const element = ts === 'number' ? 'Number(e)' : `e === 't'`;
  return `${texts}.map((e) => ${nullableElement ? `(e === null ? null : ${element})` : element})`;
}

function guarded(raw, nullable, expression) {
  return nullable ? `${raw} === null ? null : ${expression}` : expression;
}
