/** A link of a Markdown text to a file; `text` as it is written, with its backticks. */
export interface DocumentLink {
  readonly text: string;
  readonly target: string;
}

/** The links that lead to files: not elsewhere, not within the document. */
export function linksOf(markdown: string): DocumentLink[] {
  const found = withoutBlocks(markdown).matchAll(/\[([^\]]+)\]\(([^)\s#]+)[^)]*\)/g);
  return [...found]
    .map(([, text = '', target = '']) => ({ text, target }))
    .filter(({ target }) => !/^[a-z]+:/.test(target));
}

/** The cells of the rows of the first table under a heading, without the head. */
export function tableOf(markdown: string, heading: string): string[][] {
  const lines = markdown.split('\n');
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.endsWith(heading));
  if (start < 0) throw new Error(`the document has no heading "${heading}"`);
  const first = lines.findIndex((line, index) => index > start && line.startsWith('|'));
  const rest = lines.slice(first);
  const end = rest.findIndex((line) => !line.startsWith('|'));
  const rows = rest.slice(2, end < 0 ? undefined : end);
  return rows.map((row) =>
    row
      .slice(1, row.lastIndexOf('|'))
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  );
}

/** The fenced blocks of a language, in order. */
export function codeBlocks(markdown: string, language: string): string[] {
  const found = markdown.matchAll(/^```(\S*)[^\n]*\n([\s\S]*?)^```$/gm);
  return [...found].filter(([, of]) => of === language).map(([, , code = '']) => code);
}

/** The fenced blocks of a language that have a name, as in `ts jobs.ts`, by that name. */
export function namedBlocks(markdown: string, language: string): Map<string, string> {
  const found = markdown.matchAll(/^```(\S+) (\S+\.\S+)\n([\s\S]*?)^```$/gm);
  const wanted = [...found].filter(([, of]) => of === language);
  return new Map(wanted.map(([, , name = '', code = '']) => [name, code]));
}

/** Whether a TypeScript or SQL source declares the name: `fn`, `Type`, `Class.method` or, of SQL, `fn()`. */
export function names(source: string, name: string): boolean {
  const [, owner, member = name] = /^(\w+)\.(#?\w+)$/.exec(name) ?? [];
  const plain = member.replace(/\(\)$/, '');
  if (owner !== undefined && !new RegExp(`\\b(?:class|interface) ${owner}\\b`).test(source)) return false;
  const word = `(?<![\\w#])${plain}(?!\\w)`;
  return [
    `^\\s*(?:export )?(?:abstract )?(?:async )?(?:function|class|interface|type|const) ${word}`,
    `^\\s+(?:static |readonly |async |get )*${word}\\s*(?:<[^>]*>)?[(:=]`,
    `[{,]\\s*${word}: (?:async )?\\(`,
    `^create (?:or replace )?(?:function|procedure|table|view|sequence|index) (?:rowlock\\.)?${word}`,
    `^-- ${word}:`,
  ].some((pattern) => new RegExp(pattern, 'm').test(source));
}

function withoutBlocks(markdown: string): string {
  return markdown.replace(/^```[^\n]*\n[\s\S]*?^```$/gm, '');
}
