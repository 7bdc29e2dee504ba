export interface Timer {
  cancel(): void;
  /** Lets the process exit while the timer is pending. */
  unref(): void;
}

/** Time within this process; tests inject their own. What is due is judged by the database's clock only. */
export interface Clock {
  /** Monotonic milliseconds, comparable between the threads of one process. */
  now(): number;
  /** Calls `action` once after `ms` milliseconds, however many. */
  after(ms: number, action: () => void): Timer;
}

/** Node fires longer timers at once. */
const longestTimer = 2 ** 31 - 1;

/** performance.now() counts from the start of its thread; hrtime, the same in all threads, makes an array at each call. */
const sinceThreadStart = Number(process.hrtime.bigint()) / 1e6 - performance.now();

export const systemClock: Clock = {
  now: () => sinceThreadStart + performance.now(),

  after(ms, action) {
    let left = ms;
    let referenced = true;
    let handle = arm();
    function arm(): NodeJS.Timeout {
      const part = Math.min(left, longestTimer);
      left -= part;
      return setTimeout(fire, part);
    }
    function fire(): void {
      if (left <= 0) {
        action();
        return;
      }
      handle = arm();
      if (!referenced) handle.unref();
    }
    return {
      cancel: () => clearTimeout(handle),
      unref: () => {
        referenced = false;
        handle.unref();
      },
    };
  },
};

/** Resolves after `ms`, or at once when the signal aborts: the caller looks at the signal anyway. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve();
      return;
    }
    const end = (): void => {
      timer.cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = clock.after(ms, end);
    signal?.addEventListener('abort', end, { once: true });
  });
}
