import type { Fault } from '../proxy/fault.js';
import type { Random } from '../random.js';
import type { Field, Nemesis, Strike } from './nemesis.js';

/** Serialization failure, deadlock, lock not available, out of memory, disk full, canceled, internal error, too many connections. */
const sqlStates = ['40001', '40P01', '55P03', '53200', '53100', '57014', 'XX000', '53300'];
const farthest = 25;
/** How long the library waits for an answer, in ms. */
const callLimitMs = 10_000;

/** Any one statement of a worker gets an error for an answer. */
export const failStatement: Nemesis = {
  name: 'fail-statement',
  what: 'the n-th statement of a worker process fails with an error of the server',
  yields: [],
  lossless: false,
  recoversWithin: (leaseMs) => leaseMs,
  viaProxy: true,
  restMs: [50, 400],
  lastsMs: () => 0,
  strike: (field) => strike(field, { how: 'fail', sqlState: field.random.pick(sqlStates) }),
};

/** Any one statement of a worker is cut off before, while or after the server does it, or answered late or never. */
export const cutStatement: Nemesis = {
  name: 'cut-statement',
  what: 'the connection breaks at the n-th statement of a worker process: before, during or after it, or the answer is held back',
  yields: ['unknown', 'rescues'],
  lossless: false,
  // A claim whose answer is held back is given up only then, and so is the call that registers anew.
  recoversWithin: (leaseMs) => leaseMs + callLimitMs,
  viaProxy: true,
  restMs: [100, 800],
  lastsMs: () => 0,
  strike: (field) => strike(field, cutOf(field.random)),
};

function cutOf(random: Random): Fault {
  const how = random.pick([
    'cut before',
    'cut midway',
    'cut midway',
    'cut after',
    'cut after',
    'cut after',
    'hold',
  ] as const);
  if (how !== 'hold') return { how };
  // The longer one outlasts the time limit of a call, 10 s.
  return { how, ms: random.chance(0.25) ? 12_000 : Math.round(random.between(500, 3000)) };
}

async function strike({ proxies, random, signal }: Field, fault: Fault): Promise<readonly Strike[]> {
  const n = random.integer(1, farthest);
  if (!(await random.pick(proxies).arm(n, fault, signal))) return [];
  return [{ what: `${JSON.stringify(fault)} at statement ${n}` }];
}
