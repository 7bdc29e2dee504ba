import { PayloadInvalidError } from './errors.js';
import { JsonWalk } from './json-walk.js';

export interface EncodeOptions {
  /** How the error calls the value, such as `args`. */
  readonly field: string;
  /** @defaultValue 1 MiB */
  readonly maxBytes?: number;
}

const defaultMaxBytes = 1_048_576;

/** JSON text that parses back to the same value; throws `PayloadInvalidError` with the path of what would not. */
export function encodePayload(value: unknown, options: EncodeOptions): string {
  const walk = new JsonWalk({ root: options.field, refuseText: true });
  walk.run(value);
  const text = JSON.stringify(value);
  checkSize(text, walk.growth, options);
  return text;
}

/** Refuses JSON text that is beyond the limit once it is stored, which makes it longer by `growth` characters. */
export function checkSize(text: string, growth: number, options: EncodeOptions): void {
  const { field, maxBytes = defaultMaxBytes } = options;
  // A character of UTF-16 is at most three bytes of UTF-8, so most texts need no count.
  if (text.length * 3 + growth <= maxBytes) return;
  const bytes = Buffer.byteLength(text) + growth;
  if (bytes <= maxBytes) return;
  const remedy = 'store the data elsewhere and pass a reference';
  throw new PayloadInvalidError(field, `is ${bytes} bytes of JSON, more than ${maxBytes}: ${remedy}`);
}
