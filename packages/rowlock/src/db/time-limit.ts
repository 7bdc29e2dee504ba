/** A timer that comes this late was held up by a blocked event loop or a stopped process. */
const lateness = 250;
const secondChance = 1000;

/**
 * Calls `onExpiry` after `ms` milliseconds unless cancelled. When the event loop was blocked meanwhile, the answer
 * may lie unread in the socket, so the wait is prolonged once.
 * @returns cancels the limit
 */
export function startTimeLimit(ms: number, onExpiry: () => void): () => void {
  const due = performance.now() + ms;
  let prolonged = false;
  let timer = setTimeout(expire, ms);
  function expire(): void {
    if (!prolonged && performance.now() - due > lateness) {
      prolonged = true;
      timer = setTimeout(expire, secondChance);
    } else onExpiry();
  }
  return () => clearTimeout(timer);
}

/** The promise, or a rejection with `expired()` after `ms` milliseconds. */
export function withTimeLimit<T>(promise: Promise<T>, ms: number, expired: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = startTimeLimit(ms, () => reject(expired()));
    promise.then(resolve, reject).finally(cancel);
  });
}
