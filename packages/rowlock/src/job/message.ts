/** The message of whatever was thrown. A connection refused on every address is an AggregateError without one. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.message === '')
    return thrown.errors.map(messageOf).join('; ');
  return thrown instanceof Error ? thrown.message : String(thrown);
}
