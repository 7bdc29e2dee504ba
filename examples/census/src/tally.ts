import type { FileCount } from './count-file.js';
import { renderTable } from './table.js';
import { grouped, sized } from './wording.js';

export interface Tally {
  readonly files: number;
  readonly lines: number;
  readonly bytes: number;
  /** Files whose job was rescued from a worker that died. */
  readonly rescued: number;
}

/** A counted file, and whether its job was rescued. */
export interface Counted {
  readonly count: FileCount;
  readonly rescued: boolean;
}

const nothing: Tally = { files: 0, lines: 0, bytes: 0, rescued: 0 };

/** Sums per language, that with the most files first. */
export function tallyByLanguage(counted: Iterable<Counted>): Map<string, Tally> {
  const tallies = new Map<string, Tally>();
  for (const { count, rescued } of counted) {
    const one = { files: 1, lines: count.lines, bytes: count.bytes, rescued: rescued ? 1 : 0 };
    tallies.set(count.language, plus(tallies.get(count.language) ?? nothing, one));
  }
  return new Map(
    [...tallies].sort(([nameA, a], [nameB, b]) => b.files - a.files || (nameA < nameB ? -1 : 1)),
  );
}

export function total(tallies: Iterable<Tally>): Tally {
  let sum = nothing;
  for (const tally of tallies) sum = plus(sum, tally);
  return sum;
}

export function renderTallies(tallies: ReadonlyMap<string, Tally>): string[] {
  return renderTable({
    columns: [
      { title: 'Language', align: 'left' },
      { title: 'Files', align: 'right' },
      { title: 'Lines', align: 'right' },
      { title: 'Bytes', align: 'right' },
      { title: 'Rescued', align: 'right' },
    ],
    rows: [...tallies].map(([language, tally]) => [language, ...cells(tally)]),
    total: ['Total', ...cells(total(tallies.values()))],
  });
}

function plus(a: Tally, b: Tally): Tally {
  return {
    files: a.files + b.files,
    lines: a.lines + b.lines,
    bytes: a.bytes + b.bytes,
    rescued: a.rescued + b.rescued,
  };
}

function cells({ files, lines, bytes, rescued }: Tally): string[] {
  return [grouped(files), grouped(lines), sized(bytes), rescued === 0 ? '' : grouped(rescued)];
}
