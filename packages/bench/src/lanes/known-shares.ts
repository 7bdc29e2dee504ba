/** By work and peer: the share of its ceiling that the peer had when it did best on this bench. Only ever raised. */
const known: Readonly<Record<string, Readonly<Record<string, number>>>> = {};

/** What share of its ceiling a peer has with that work on an undisturbed machine, if it has been measured. */
export function knownShare(work: string, peer: string): number | undefined {
  return known[work]?.[peer];
}
