/** A timer that comes this late was held up by a blocked event loop or a stopped process. */
const lateness = 250;
const secondChance = 1000;

export interface TimeLimit {
  readonly ms: number;
  readonly expired: () => Error;
  /** Grows while an answer is arriving: what still arrives after `ms` is waited for. */
  readonly progress?: () => number;
}

/**
 * The promise, or a rejection with `expired()` when nothing has come for `ms` milliseconds. When the event loop was
 * blocked meanwhile, the answer may lie unread in the socket, so the wait is prolonged once.
 */
export function withTimeLimit<T>(promise: Promise<T>, limit: TimeLimit): Promise<T> {
  const { ms, expired, progress = () => 0 } = limit;
  return new Promise((resolve, reject) => {
    let prolonged = false;
    let seen = progress();
    let due = 0;
    let timer = wait(ms);
    function wait(span: number): NodeJS.Timeout {
      due = performance.now() + span;
      return setTimeout(look, span);
    }
    function look(): void {
      const before = seen;
      seen = progress();
      if (seen !== before) timer = wait(ms);
      else if (!prolonged && performance.now() - due > lateness) {
        prolonged = true;
        timer = wait(secondChance);
      } else reject(expired());
    }
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
