export type Align = 'left' | 'right';

export interface Table {
  readonly columns: readonly { readonly title: string; readonly align: Align }[];
  readonly rows: readonly (readonly string[])[];
  /** A last row under a rule. */
  readonly total: readonly string[];
}

/** The table as lines, each column as wide as its widest cell. */
export function renderTable({ columns, rows, total }: Table): string[] {
  const titles = columns.map(({ title }) => title);
  const widths = columns.map((_, at) =>
    Math.max(...[titles, ...rows, total].map((cells) => (cells[at] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    columns
      .map(({ align }, at) => {
        const [cell, width] = [cells[at] ?? '', widths[at] ?? 0];
        return align === 'left' ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('   ')
      .trimEnd();
  const rule = widths.map((width) => '─'.repeat(width)).join('───');
  return [line(titles), rule, ...rows.map(line), rule, line(total)];
}
