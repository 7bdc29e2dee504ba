/** How fast a count has grown over the last second or so. */
export class RateMeter {
  readonly #samples: { readonly at: number; readonly count: number }[] = [];

  /** @returns the growth per second, given the count at the time `at` in ms */
  take(count: number, at: number): number {
    this.#samples.push({ at, count });
    while (this.#samples.length > 2 && (this.#samples[1]?.at ?? at) <= at - 1000) this.#samples.shift();
    const first = this.#samples[0];
    return first === undefined || first.at === at ? 0 : ((count - first.count) * 1000) / (at - first.at);
  }
}
