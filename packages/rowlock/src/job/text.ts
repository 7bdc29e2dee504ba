/** NUL, which jsonb and text refuse, and surrogates without their partner, which are not valid UTF-8. */
const unstorable = /[\0\p{Surrogate}]/u;
const everyUnstorable = /[\0\p{Surrogate}]/gu;

/** Whether PostgreSQL can store the text as it is. */
export function isStorable(text: string): boolean {
  return !unstorable.test(text);
}

/** The text without NUL characters and lone surrogates. */
export function cleanText(text: string): string {
  return unstorable.test(text) ? text.replace(everyUnstorable, '') : text;
}

/** JSON escapes control characters below U+0020 only; the others can still move a terminal's cursor or fake a line. */
export const everyControl = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** The beginning of a text, fit for one line of a log or a page. */
export function oneLine(text: string, maxLength: number): string {
  const line = text.slice(0, maxLength + 1).replace(everyControl, ' ');
  return line.length <= maxLength ? line : `${cleanText(line.slice(0, maxLength - 1))}…`;
}
