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

/** Outputs go as one JSON object, which the server can hold up to 256 MiB of. */
const maxOutputCharacters = 16 * 1_048_576;

/** Takes the first `most` out of what is done, fewer where their outputs are long. */
export function takeBatch(done: Done[], most: number): Done[] {
  let [count, characters] = [0, 0];
  for (const { output } of done) {
    if (count === most || characters > maxOutputCharacters) break;
    count += 1;
    characters += output?.length ?? 0;
  }
  return done.splice(0, count);
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
