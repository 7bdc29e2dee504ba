export type Comparison = '>=' | '<=' | '<';

/** What a lane promises. */
export interface Bar {
  readonly name: string;
  readonly value: number;
  readonly op: Comparison;
  readonly target: number;
}

/** A value that is no number keeps no promise. */
export function holds({ value, op, target }: Bar): boolean {
  if (op === '>=') return value >= target;
  return op === '<=' ? value <= target : value < target;
}

export function renderBar(bar: Bar): string {
  return `bar ${bar.name} ${plain(bar.value)} ${bar.op} ${plain(bar.target)} ${holds(bar) ? 'ok' : 'short'}`;
}

// Not rounded to the target: 0.6996 must not read as 0.7.
function plain(value: number): string {
  return String(Number(value.toFixed(4)));
}
