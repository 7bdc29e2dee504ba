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
