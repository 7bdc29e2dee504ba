const lineFeed = 0x0a;

/** Counts the lines of a file that comes in pieces. A last line without a line feed is a line too. */
export class LineCounter {
  #feeds = 0;
  #openLine = false;

  take(piece: Uint8Array): void {
    if (piece.length === 0) return;
    for (let at = piece.indexOf(lineFeed); at !== -1; at = piece.indexOf(lineFeed, at + 1)) this.#feeds += 1;
    this.#openLine = piece[piece.length - 1] !== lineFeed;
  }

  get lines(): number {
    return this.#feeds + (this.#openLine ? 1 : 0);
  }
}
