import type { Standing } from './progress-lines.js';

export type Color = 'green' | 'red' | 'bold' | 'dim';

/** Where a census shows itself. */
export interface Screen {
  /** A line that stays. */
  say(line: string): void;
  /** How things stand now. */
  show(standing: Standing): void;
  /** What is shown now stays; what is said next goes below it. */
  settle(): void;
  paint(color: Color, text: string): string;
}
