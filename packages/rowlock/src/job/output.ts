import { JsonWalk } from './json-walk.js';
import { checkSize } from './payload.js';
import { cleanText } from './text.js';

/**
 * JSON text of what a handler returned; null where it returned nothing. Unlike args, text that PostgreSQL cannot store is
 * cleaned: the work is done, and often the text is not the handler's own.
 */
export function encodeOutput(value: unknown): string | null {
  if (value === undefined) return null;
  const walk = new JsonWalk({ root: 'output', refuseText: false });
  const storable = walk.run(value);
  const text = JSON.stringify(storable ? value : cleaned(value));
  checkSize(text, walk.growth, { field: 'output' });
  return text;
}

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(cleaned);
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [cleanText(key), cleaned(entry)]));
}
