/** More than so many are not remembered: the next pass tells of the first one again. */
const most = 1000;

/** Instants (microseconds, the database's clock) at which jobs are due, the earliest first. */
export class DueTimes {
  #times: number[] = [];

  get first(): number | undefined {
    return this.#times[0];
  }

  /** To the millisecond, rounded up: many jobs are due together. */
  add(runAt: number): void {
    const time = Math.ceil(runAt / 1000) * 1000;
    const at = this.#indexOf(time);
    if (this.#times[at] === time) return;
    this.#times.splice(at, 0, time);
    if (this.#times.length > most) this.#times.pop();
  }

  dropUntil(now: number): void {
    this.#times.splice(0, this.#indexOf(now + 1));
  }

  /** Where `time` is or belongs. */
  #indexOf(time: number): number {
    let low = 0;
    let high = this.#times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#times[middle] ?? Infinity) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
