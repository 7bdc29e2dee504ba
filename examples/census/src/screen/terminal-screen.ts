import type { WriteStream } from 'node:tty';
import { standingLines } from './progress-lines.js';
import type { Standing } from './progress-lines.js';
import type { Color, Screen } from './screen.js';

const codes: Record<Color, readonly [number, number]> = {
  green: [32, 39],
  red: [31, 39],
  bold: [1, 22],
  dim: [2, 22],
};
const hideCursor = '\x1b[?25l';
const showCursor = '\x1b[?25h';
const clearBelow = '\x1b[0J';

/** A terminal: the standing is drawn over, what is said appears above it. */
export class TerminalScreen implements Screen {
  readonly #out: WriteStream;
  readonly #colors: boolean;
  #shown: string[] = [];
  readonly #restore = (): void => void this.#out.write(showCursor);

  constructor(out: WriteStream) {
    this.#out = out;
    this.#colors = out.hasColors();
  }

  say(line: string): void {
    this.#draw([line], this.#shown);
  }

  show(standing: Standing): void {
    if (this.#shown.length === 0) {
      this.#out.write(hideCursor);
      process.once('exit', this.#restore);
    }
    // A terminal that does not know its size says 0. What has scrolled out of sight cannot be drawn over.
    const [columns, rows] = [this.#out.columns || 80, this.#out.rows || 24];
    const [first = '', ...workers] = standingLines(standing, columns).slice(0, Math.max(1, rows - 1));
    this.#draw([], [this.paint('green', first), ...workers]);
  }

  settle(): void {
    if (this.#shown.length === 0) return;
    this.#shown = [];
    this.#restore();
    process.off('exit', this.#restore);
  }

  paint(color: Color, text: string): string {
    if (!this.#colors) return text;
    const [on, off] = codes[color];
    return `\x1b[${String(on)}m${text}\x1b[${String(off)}m`;
  }

  /** In one write, so that nothing flickers. */
  #draw(above: readonly string[], shown: string[]): void {
    const up = this.#shown.length === 0 ? '' : `\x1b[${String(this.#shown.length)}A\r${clearBelow}`;
    this.#out.write(up + [...above, ...shown].map((line) => `${line}\n`).join(''));
    this.#shown = shown;
  }
}
