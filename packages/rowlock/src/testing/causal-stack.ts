import { createHook, executionAsyncId, type AsyncHook } from 'node:async_hooks';

/** A named function of this package, as far as a stack tells. */
export interface Hop {
  /** Below `src`, such as `worker/cycle.ts`. */
  readonly file: string;
  /** Without its class, such as `#send`. */
  readonly name: string;
}

interface Origin {
  readonly within: number;
  readonly hops: readonly Hop[];
}

const folder = new URL('..', import.meta.url).href;
const notPassedThrough = /^(?:testing|db|sql)\/|\.test\.ts$/;
const deepest = 200;

/**
 * Which functions led here, also across promises, timers and turns of the event loop: to every asynchronous resource it
 * keeps the stack that made it. Slow, so it is for a test of a few jobs.
 */
export class CausalStack {
  readonly #origins = new Map<number, Origin>();
  readonly #hook: AsyncHook;

  constructor() {
    this.#hook = createHook({
      init: (id) => this.#origins.set(id, { within: executionAsyncId(), hops: hopsHere() }),
    });
  }

  enable(): void {
    this.#hook.enable();
  }

  disable(): void {
    this.#hook.disable();
  }

  /** The last one first, each function once; without the seam to the database. */
  trace(): Hop[] {
    const found = new Map<string, Hop>();
    const add = (hops: readonly Hop[]): void =>
      hops.forEach((hop) => found.set(`${hop.file}:${hop.name}`, hop));
    add(hopsHere());
    let origin = this.#origins.get(executionAsyncId());
    for (let depth = 0; origin !== undefined && depth < deepest; depth += 1) {
      add(origin.hops);
      origin = this.#origins.get(origin.within);
    }
    return [...found.values()];
  }
}

function hopsHere(): Hop[] {
  return callSites().flatMap((site) => {
    const name = site.getFunctionName();
    const file = sourceOf(site.getFileName() ?? '');
    // An arrow function without a name is read where it is written, in the function around it.
    return name === null || file === undefined || notPassedThrough.test(file) ? [] : [{ file, name }];
  });
}

function callSites(): readonly NodeJS.CallSite[] {
  const { stackTraceLimit } = Error;
  const formatter = Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace');
  const holder: { stack?: unknown } = {};
  Error.stackTraceLimit = deepest;
  Error.prepareStackTrace = (_error, sites) => sites;
  try {
    Error.captureStackTrace(holder, callSites);
    return holder.stack as readonly NodeJS.CallSite[];
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    if (formatter === undefined) Reflect.deleteProperty(Error, 'prepareStackTrace');
    else Object.defineProperty(Error, 'prepareStackTrace', formatter);
  }
}

function sourceOf(file: string): string | undefined {
  if (!file.startsWith(folder)) return undefined;
  return file.slice(folder.length).replace(/\.js$/, '.ts');
}
