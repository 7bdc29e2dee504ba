export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** For a terminal: numbers to the right, words to the left. */
export function renderText({ columns, rows }: Table): string {
  const widths = columns.map((column, i) => Math.max(column.length, ...rows.map((row) => width(row[i]))));
  const right = columns.map((_, i) => isNumeric({ columns, rows }, i));
  const line = (cells: readonly string[]): string =>
    columns
      .map((_, i) => pad(cells[i] ?? '', { to: widths[i] ?? 0, right: right[i] === true }))
      .join('  ')
      .trimEnd();
  return [line(columns), widths.map((n) => '-'.repeat(n)).join('  '), ...rows.map(line)].join('\n');
}

export function renderMarkdown({ columns, rows }: Table): string {
  const line = (cells: readonly string[]): string =>
    `| ${columns.map((_, i) => (cells[i] ?? '').replaceAll('|', '\\|')).join(' | ')} |`;
  const rule = `|${columns.map((_, i) => (isNumeric({ columns, rows }, i) ? '--:' : '---')).join('|')}|`;
  return [line(columns), rule, ...rows.map(line)].join('\n');
}

/** A number for people: at least three digits that count, thousands set apart. */
export function number(value: number): string {
  if (!Number.isFinite(value)) return '-';
  const size = Math.abs(value);
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.01 || size === 0 ? 2 : 4;
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

export function percent(share: number): string {
  return Number.isFinite(share) ? `${(share * 100).toFixed(0)} %` : '-';
}

function width(cell: string | undefined): number {
  return cell?.length ?? 0;
}

function pad(cell: string, { to, right }: { to: number; right: boolean }): string {
  return right ? cell.padStart(to) : cell.padEnd(to);
}

function isNumeric({ rows }: Table, column: number): boolean {
  return (
    rows.length > 0 && rows.every((row) => /^(?:-?[\d,.]+(?: %| to [\d,.]+)?|-)?$/.test(row[column] ?? ''))
  );
}
