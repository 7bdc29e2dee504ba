/** Typed events. A listener that throws is reported and disturbs nobody. */
export class Events<Named extends object> {
  readonly #listeners = new Map<keyof Named, Set<(event: never) => void>>();
  readonly #onListenerError: (error: unknown) => void;

  constructor(onListenerError: (error: unknown) => void) {
    this.#onListenerError = onListenerError;
  }

  /** @returns a function that removes the listener */
  on<Name extends keyof Named>(name: Name, listener: (event: Named[Name]) => void): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Whether an event is worth making. */
  has(name: keyof Named): boolean {
    return (this.#listeners.get(name)?.size ?? 0) > 0;
  }

  emit<Name extends keyof Named>(name: Name, event: Named[Name]): void {
    for (const listener of this.#listeners.get(name) ?? []) {
      try {
        (listener as (event: Named[Name]) => void)(event);
      } catch (error) {
        this.#onListenerError(error);
      }
    }
  }
}
