import type { SettleAndClaimParams } from '../sql/generated/statements.gen.js';
import type { Claim } from './claim.js';
import { fenceOf, fencesOf } from './claim.js';

/** A claim that ended in success. */
export interface Done {
  readonly claim: Claim;
  readonly output: string | null;
  /** A statement that was to store it did not get a lock in time. */
  lockedOut?: boolean;
}

export type SettleParams = Pick<SettleAndClaimParams, 'tids' | 'ids' | 'claimNos' | 'outputs'>;

/** Args and outputs that one statement should store, in characters: its time is limited, and outputs go as one object. */
const maxStored = 16 * 1_048_576;

/** Takes the first `most` out of what is done, fewer where they have much to store. */
export function takeBatch(done: Done[], most: number): Done[] {
  return done.splice(0, countFitting(done, most, storedSize));
}

/** Characters that go to the history when this claim ends its job. */
export function storedSize({ claim, output }: Pick<Done, 'claim' | 'output'>): number {
  return claim.size + (output?.length ?? 0);
}

/** How many of the first `most` one statement should settle: what ends a job copies its args and output to the history. */
export function countFitting<T>(items: readonly T[], most: number, sizeOf: (item: T) => number): number {
  let [count, size] = [0, 0];
  for (const item of items) {
    if (count === most || size > maxStored) break;
    count += 1;
    size += sizeOf(item);
  }
  return count;
}

export function settlesOf(done: readonly Done[]): SettleParams {
  const claims = done.map(({ claim }) => claim);
  return { tids: claims.map(({ tid }) => tid), ...fencesOf(claims), outputs: outputsOf(done) };
}

/** Members of one JSON object: outputs are JSON text already. */
function outputsOf(done: readonly Done[]): string | null {
  const members = done.flatMap(({ claim, output }) =>
    output === null ? [] : [`"${fenceOf(claim)}":${output}`],
  );
  return members.length === 0 ? null : `{${members.join(',')}}`;
}
