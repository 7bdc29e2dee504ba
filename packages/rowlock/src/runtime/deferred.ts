/** A promise settled from outside: what `Promise.withResolvers` gives from Node 22 on. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T | PromiseLike<T>): void;
  reject(reason: unknown): void;
}

export function deferred<T = void>(): Deferred<T> {
  let resolve: Deferred<T>['resolve'] | undefined;
  let reject: Deferred<T>['reject'] | undefined;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  if (resolve === undefined || reject === undefined)
    throw new TypeError('The promise did not hand out its resolvers');
  return { promise, resolve, reject };
}
