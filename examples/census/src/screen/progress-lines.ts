import { counted, grouped } from '../wording.js';

export interface WorkerLine {
  readonly name: string;
  readonly done: number;
  readonly held: number;
  readonly killed: boolean;
}

export interface Standing {
  readonly done: number;
  readonly total: number;
  /** Jobs per second of late. */
  readonly rate: number;
  readonly workers: readonly WorkerLine[];
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A bar `width` cells wide, `share` (0 to 1) of it full, in steps of an eighth of a cell. */
export function bar(share: number, width: number): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * width * 8);
  const part = eighths[full % 8] ?? '';
  return `${'█'.repeat(Math.floor(full / 8))}${part}`.padEnd(width, '·');
}

/** The standing as lines no wider than `columns`: a bar, and a line per worker. */
export function standingLines(standing: Standing, columns: number): string[] {
  const { done, total, workers } = standing;
  const figures = figuresOf(standing);
  const width = Math.max(10, Math.min(40, columns - figures.length - 6));
  const most = Math.max(1, ...workers.map((worker) => grouped(worker.done).length));
  const lines = [
    `  ${bar(total === 0 ? 1 : done / total, width)}  ${figures}`,
    ...workers.map(
      (worker) => `  ${worker.name}  ${grouped(worker.done).padStart(most)} done  ${doing(worker)}`,
    ),
  ];
  return lines.map((line) => line.slice(0, Math.max(1, columns - 1)));
}

/** The standing in one line, for where nothing can be drawn over. */
export function standingLine(standing: Standing): string {
  const workers = standing.workers.map(
    ({ name, done, held, killed }) =>
      `${name}: ${grouped(done)}${killed ? ` (killed${held > 0 ? `, held ${grouped(held)}` : ''})` : ''}`,
  );
  return `${figuresOf(standing)}  |  ${workers.join('  ')}`;
}

function figuresOf({ done, total, rate }: Standing): string {
  const percent = total === 0 ? 100 : Math.floor((done / total) * 100);
  const of = grouped(total);
  return `${grouped(done).padStart(of.length)} / ${of} ${`${String(percent)} %`.padStart(6)}  ${grouped(Math.round(rate)).padStart(6)}/s`;
}

function doing({ killed, held }: WorkerLine): string {
  if (!killed) return `holds ${counted(held, 'job')}`;
  return held > 0 ? `killed; ${counted(held, 'job')} to be rescued` : 'killed';
}
