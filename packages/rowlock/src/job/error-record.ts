import { cleanText } from './text.js';

/** A thrown value as it is stored with the job. */
export interface ErrorRecord {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  readonly code?: string;
}

const maxMessageBytes = 4_096;
const maxStackBytes = 8_192;
const maxNameBytes = 200;
const maxCauses = 5;

/** Reads what it can of any thrown value. Never throws: a hostile error must not keep its job from being settled. */
export function errorRecord(thrown: unknown): ErrorRecord {
  const code = codeOf(thrown);
  return {
    name: bounded(textAt(thrown, 'name') || nameless(thrown), maxNameBytes),
    message: bounded(messageOf(thrown), maxMessageBytes),
    stack: bounded(stackWithCauses(thrown), maxStackBytes),
    ...(code === '' ? {} : { code: bounded(code, maxNameBytes) }),
  };
}

function nameless(thrown: unknown): string {
  return isObject(thrown) ? 'Error' : 'NonError';
}

function messageOf(thrown: unknown): string {
  if (isObject(thrown)) return textAt(thrown, 'message') || 'thrown without a message';
  return `thrown: ${String(thrown).slice(0, maxMessageBytes)}`;
}

function codeOf(thrown: unknown): string {
  const code = read(thrown, 'code');
  return typeof code === 'string' || typeof code === 'number' ? String(code) : '';
}

function stackWithCauses(thrown: unknown): string {
  const parts = [textAt(thrown, 'stack')];
  // Bounded by count, so that a cause that is its own cause ends too.
  let cause = read(thrown, 'cause');
  for (let depth = 0; depth < maxCauses && cause !== undefined && cause !== null; depth += 1) {
    parts.push(`caused by: ${textAt(cause, 'stack') || messageOf(cause)}`);
    cause = read(cause, 'cause');
  }
  return parts.filter((part) => part !== '').join('\n');
}

function textAt(value: unknown, key: string): string {
  const text = read(value, key);
  return typeof text === 'string' ? cleanText(text.slice(0, maxStackBytes + 1)) : '';
}

function read(value: unknown, key: string): unknown {
  if (!isObject(value)) return undefined;
  try {
    return value[key];
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** At most so many bytes of UTF-8, never cutting a character in two. */
function bounded(text: string, maxBytes: number): string {
  const clean = cleanText(text.slice(0, maxBytes + 1));
  if (Buffer.byteLength(clean) <= maxBytes) return clean;
  const bytes = Buffer.from(clean);
  let end = maxBytes - ellipsisBytes;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${bytes.toString('utf8', 0, end)}…`;
}

const ellipsisBytes = Buffer.byteLength('…');
