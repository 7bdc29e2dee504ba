import type { Executor } from '../../db/executor.js';
import { OutcomeUnknownError } from '../../job/errors.js';
import type { Statement } from '../../sql/statement.js';
import { rawStatement } from '../raw-statement.js';
import type { Ledger } from './ledger.js';
import type { Effect } from './observe.js';
import { observe } from './observe.js';

const clockStatement = rawStatement('select rowlock.to_us(clock_timestamp())::text');

const placeStatement = rawStatement(
  'select id::text, rowlock.to_us(run_at)::text from rowlock.job where id = any ($1::bigint[])',
);

export async function readClock(executor: Executor, ledger: Ledger): Promise<number> {
  const [row] = await executor.run(clockStatement, []);
  const clock = Number(row?.[0]);
  ledger.read(clock);
  return clock;
}

/**
 * The seam between the engine's code and the database, from where the ledger is told what every statement did. An answer
 * may be dropped on the way: the effect is known here, and not to the code that asked.
 */
export class WatchedExecutor implements Executor {
  readonly ledger: Ledger;
  readonly #executor: Executor;
  #dropNext = false;
  #together: Effect[] | null = null;

  constructor(executor: Executor, ledger: Ledger) {
    this.#executor = executor;
    this.ledger = ledger;
  }

  /** The next statement takes effect, and nobody hears of it. */
  dropNextAnswer(): void {
    this.#dropNext = true;
  }

  async run<Params, Row>(statement: Statement<Params, Row>, params: Params): Promise<Row[]> {
    const before = this.ledger.clock;
    const rows = await this.#executor.run(statement, params);
    const alone = this.#together === null;
    const after = alone ? await readClock(this.#executor, this.ledger) : Infinity;
    const effects = observe({
      ledger: this.ledger,
      name: statement.name,
      params,
      rows,
      before,
      after,
      alone,
      heard: !this.#dropNext,
    });
    if (this.#together === null) {
      for (const { tell } of effects) tell();
      await this.#place();
    } else this.#together.push(...effects);
    if (this.#dropNext) {
      this.#dropNext = false;
      throw new OutcomeUnknownError('the answer was dropped');
    }
    return rows;
  }

  /** Runs work whose statements overlap. The ledger hears of what they did once all are answered. */
  async together(work: readonly (() => Promise<unknown>)[]): Promise<void> {
    this.#together = [];
    await Promise.all(work.map((one) => one()));
    const effects = this.#together;
    this.#together = null;
    for (const { tell } of effects.sort((a, b) => a.rank - b.rank)) tell();
  }

  /** Reads where jobs went whose statement did not say so. */
  async #place(): Promise<void> {
    const { unplaced } = this.ledger;
    if (unplaced.length === 0) return;
    for (const [id, runAt] of await this.#executor.run(placeStatement, [`{${unplaced.join(',')}}`]))
      this.ledger.place(id ?? '', Number(runAt));
  }
}
