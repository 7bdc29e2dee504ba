import type { Writable } from 'node:stream';
import { standingLine } from './progress-lines.js';
import type { Standing } from './progress-lines.js';
import type { Screen } from './screen.js';

/** A pipe or a file: the standing is a line, once a second. */
export class PlainScreen implements Screen {
  readonly #out: Writable;
  readonly #everyMs: number;
  #shownAt = -Infinity;
  #unshown: Standing | undefined;

  constructor(out: Writable, everyMs = 1000) {
    this.#out = out;
    this.#everyMs = everyMs;
  }

  say(line: string): void {
    this.#out.write(`${line}\n`);
  }

  show(standing: Standing): void {
    this.#unshown = standing;
    if (performance.now() - this.#shownAt >= this.#everyMs) this.#print(standing);
  }

  settle(): void {
    if (this.#unshown !== undefined) this.#print(this.#unshown);
  }

  paint(_color: string, text: string): string {
    return text;
  }

  #print(standing: Standing): void {
    this.#shownAt = performance.now();
    this.#unshown = undefined;
    this.say(`  ${standingLine(standing)}`);
  }
}
