const writtenSchema = 'rowlock';
const maxIdentifierBytes = 63;

/** What may hold the schema's name, or hide text that looks like it: comments, strings, dollar bodies, identifiers. */
const token =
  /(?<comment>--[^\n]*|\/\*)|(?<escapeString>[eE]'[^'\\]*(?:(?:''|\\.)[^'\\]*)*')|(?<literal>'[^']*(?:''[^']*)*')|(?<quoted>"[^"]*(?:""[^"]*)*")|(?<dollar>\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$)|(?<word>[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)/gs;

/** A literal is a name, not a text, where it becomes a `reg…` value: by a cast, or as the argument of one of these. */
const namingCall =
  /\b(?:nextval|currval|setval|pg_sequence_last_value|to_reg\w+|pg_(?:total_)?relation_size|pg_table_size|pg_indexes_size)\s*\(\s*$/i;
const namingCast = /^\s*::\s*reg[a-z]+\b(?!\s*\[)/i;
const namingCastFunction = /^\s+as\s+reg[a-z]+\s*\)/i;
const castOpening = /\bcast\s*\(\s*$/i;
/** Dynamic SQL: from `execute` to its end all literals are SQL text; in a format a percent sign must be doubled. */
const executeEnd = /^(?:using|into|on|function|procedure)$/i;
const formatCall = /\bformat\s*\(\s*$/i;
/** Where the schema stands alone: `create schema rowlock`, `in schema rowlock`, `set search_path = rowlock`. */
const standsAlone = /\b(?:schema(?:\s+if(?:\s+not)?\s+exists)?|search_path\s*(?:=|\bto\b))\s+$/i;

/** The identifier in double quotes. @throws RangeError when PostgreSQL could not hold the name as it is. */
export function quoteIdentifier(name: string): string {
  const bytes = Buffer.byteLength(name);
  if (bytes === 0 || bytes > maxIdentifierBytes || name.includes('\0')) {
    throw new RangeError(
      `An identifier has 1 to ${String(maxIdentifierBytes)} bytes and no NUL; got ${JSON.stringify(name)}`,
    );
  }
  return `"${name.replaceAll('"', '""')}"`;
}

/** The text as a string literal that means the same whatever `standard_conforming_strings` says. */
export function quoteLiteral(text: string): string {
  const doubled = text.replaceAll("'", "''");
  return doubled.includes('\\') ? ` E'${doubled.replaceAll('\\', '\\\\')}'` : `'${doubled}'`;
}

/**
 * SQL text with the schema `rowlock`, as the files of `sql/` write it, replaced by another one: where it qualifies
 * an identifier (also inside dollar-quoted bodies and dynamic SQL), stands alone as a schema, or is part of a
 * `reg…` literal.
 * Comments and all other strings stay as they are.
 */
export function renderSchema(text: string, schema: string): string {
  return schema === writtenSchema ? text : renderCode(text, quoteIdentifier(schema));
}

function renderCode(text: string, schema: string): string {
  const scan = new RegExp(token);
  let rendered = '';
  let from = 0;
  let dynamic = false;
  for (let match = scan.exec(text); match !== null; match = scan.exec(text)) {
    const end = tokenEnd(text, match);
    const [word] = match;
    const between = text.slice(from, match.index);
    if (between.includes(';') || executeEnd.test(word)) dynamic = false;
    else if (/^execute$/i.test(word)) dynamic = true;
    const before = text.slice(0, match.index);
    const body = text.slice(match.index, end);
    rendered += between + renderToken({ match, before, body, after: text.slice(end), schema, dynamic });
    from = end;
    scan.lastIndex = end;
  }
  return rendered + text.slice(from);
}

interface Token {
  readonly match: RegExpExecArray;
  readonly before: string;
  readonly body: string;
  readonly after: string;
  readonly schema: string;
  readonly dynamic: boolean;
}

function tokenEnd(text: string, match: RegExpExecArray): number {
  const [opening] = match;
  const end = match.index + opening.length;
  if (opening === '/*') return blockCommentEnd(text, end);
  if (match.groups?.['dollar'] === undefined) return end;
  const closing = text.indexOf(opening, end);
  return closing < 0 ? text.length : closing + opening.length;
}

function blockCommentEnd(text: string, from: number): number {
  const edge = /\/\*|\*\//g;
  edge.lastIndex = from;
  let depth = 1;
  for (let match = edge.exec(text); match !== null; match = edge.exec(text)) {
    depth += match[0] === '/*' ? 1 : -1;
    if (depth === 0) return edge.lastIndex;
  }
  return text.length;
}

function renderToken(found: Token): string {
  const groups = found.match.groups ?? {};
  if (groups['word'] !== undefined) return renderWord(found);
  if (groups['literal'] !== undefined) return renderLiteral(found);
  if (groups['dollar'] !== undefined) return renderDollarBody(found, groups['dollar']);
  return found.body;
}

function renderWord({ before, body, after, schema }: Token): string {
  if (body !== writtenSchema || before.endsWith('.')) return body;
  return after.startsWith('.') || standsAlone.test(tail(before)) ? schema : body;
}

function renderLiteral(found: Token): string {
  const { before, body, after, schema, dynamic } = found;
  const content = body.slice(1, -1).replaceAll("''", "'");
  if (!content.includes(writtenSchema)) return body;
  if (dynamic) return quoteLiteral(renderCode(content, schemaWithin(found)));
  if (!isName(tail(before), after)) return body;
  return quoteLiteral(content.trim() === writtenSchema ? schema : renderCode(content, schema));
}

function schemaWithin({ before, schema, dynamic }: Token): string {
  return dynamic && formatCall.test(tail(before)) ? schema.replaceAll('%', '%%') : schema;
}

function isName(opening: string, after: string): boolean {
  return (
    namingCall.test(opening) ||
    namingCast.test(after) ||
    (castOpening.test(opening) && namingCastFunction.test(after))
  );
}

function renderDollarBody(found: Token, tag: string): string {
  const content = found.body.slice(tag.length, -tag.length);
  const rendered = renderCode(content, schemaWithin(found));
  const safeTag = freeTag(tag, content, rendered);
  return safeTag + rendered + safeTag;
}

/** A schema may be called `a$$b`: its name must not end the body that it is written into. */
function freeTag(tag: string, content: string, rendered: string): string {
  let candidate = tag;
  for (let n = 1; rendered !== content && rendered.includes(candidate); n++)
    candidate = `$rowlock_${String(n)}$`;
  return candidate;
}

/** The patterns that look back end at `$`; on the whole text before they would be quadratic. */
function tail(before: string): string {
  return before.slice(-80);
}
