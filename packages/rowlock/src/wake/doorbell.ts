import { createHash } from 'node:crypto';

/** A hint that rows were enqueued into `queue` from `runAtUs` on. Never data. */
export interface Ring {
  readonly queue: string;
  /** Start of the range, microseconds since 1970. */
  readonly runAtUs: number;
  readonly count: number;
  /** Chosen by the ringer, so that of many idle workers another one answers first each time. */
  readonly random: number;
  /** The job, if the ring is about one alone. */
  readonly id: string | null;
}

const prefix = 'rowlock:';
const maxChannelBytes = 63;
const maxPayloadCharacters = 1000;
const stepMs = 3;
const maxDelayMs = 25;

/** The channel of a schema; the SQL function that rings computes the same name. */
export function doorbellChannel(schema: string): string {
  const plain = prefix + schema;
  if (Buffer.byteLength(plain) <= maxChannelBytes) return plain;
  return prefix + createHash('md5').update(schema).digest('hex');
}

/** Reads `["queue",runAtUs,count,random,"id"]`; anything else on the channel is null. */
export function parseRing(payload: string): Ring | null {
  if (payload.length > maxPayloadCharacters) return null;
  const fields = parseArray(payload);
  if (fields?.length !== 5) return null;
  const [queue, runAtUs, count, random, id] = fields;
  if (typeof queue !== 'string' || queue === '') return null;
  if (!isWhole(runAtUs) || !isWhole(count) || count === 0 || !isWhole(random)) return null;
  if (!isId(id)) return null;
  return { queue, runAtUs, count, random, id };
}

function parseArray(payload: string): unknown[] | null {
  try {
    const value: unknown = JSON.parse(payload);
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** A bigint in decimal text: a JS number would round it. */
function isId(value: unknown): value is string | null {
  return value === null || (typeof value === 'string' && /^-?\d{1,18}$/.test(value));
}

export interface AnswerOrder {
  readonly peers: number;
  readonly rank: number;
  readonly random: number;
  /** Rows the ring is about: with more of them, more workers answer at once. */
  readonly count: number;
}

/**
 * How long an idle worker waits before it answers a ring, so that one of many claims first
 * and the others find the work done. A hint: whoever answers, each job is claimed once.
 */
export function answerDelayMs({ peers, rank, random, count }: AnswerOrder): number {
  if (peers <= 1) return 0;
  const position = (rank + random) % peers;
  return Math.min(maxDelayMs, stepMs * Math.floor(position / Math.max(1, count)));
}
