const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** Under npm, one Ctrl-C may arrive twice: from the terminal and from npm. */
const oneCtrlC = 1000;

/** That somebody wants this process to end: aborted by a first Ctrl-C; a later one does not wait for the cleaning up. */
export class Interruption {
  readonly #abort = new AbortController();
  #since = Infinity;
  #exitCode: number | undefined;

  constructor() {
    for (const [name, code] of Object.entries(exitCodes)) process.on(name, () => this.#interrupt(name, code));
    // `npm run demo | head`: nobody reads on.
    process.stdout.on('error', () => this.#interrupt('a closed pipe', 1));
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** What to exit with; undefined if nobody interrupted. */
  get exitCode(): number | undefined {
    return this.#exitCode;
  }

  #interrupt(name: string, code: number): void {
    const now = performance.now();
    if (now - this.#since > oneCtrlC) process.exit(code);
    if (this.#exitCode !== undefined) return;
    this.#exitCode = code;
    this.#since = now;
    this.#abort.abort(new Error(`interrupted by ${name}`));
  }
}
