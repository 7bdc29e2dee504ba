import type { Statement } from '../sql/statement.js';
import type { Loan } from './connections.js';
import type { Line } from './executor.js';
import { renderedText } from './rendered-text.js';
import { Transaction } from './transaction.js';

/** In sessions of ours, whose driver sends ahead. A third would only wait behind the second. */
const depthOfOurs = 2;

export interface LineOptions {
  readonly schema: string;
  /** Longest wait for an answer, in milliseconds. */
  readonly timeLimit: number;
}

export class LoanedLine implements Line {
  readonly #loan: Loan;
  readonly #options: LineOptions;

  constructor(loan: Loan, options: LineOptions) {
    this.#loan = loan;
    this.#options = options;
  }

  get depth(): number {
    return this.#loan.sessionIsSetUp ? depthOfOurs : 1;
  }

  run<Params, Row>(statement: Statement<Params, Row>, params: Params): Promise<Row[]> {
    if (this.#loan.sessionIsSetUp) return this.#send(statement, params);
    return new Transaction({ ...this.#loan, ...this.#options }).of((tx) => tx.run(statement, params));
  }

  runAlone<Params, Row>(statement: Statement<Params, Row>, params: Params): Promise<Row[] | undefined> {
    return this.#loan.sessionIsSetUp ? this.#send(statement, params) : Promise.resolve(undefined);
  }

  close(): void {
    this.#loan.giveBack();
  }

  async #send<Params, Row>(statement: Statement<Params, Row>, params: Params): Promise<Row[]> {
    const { schema, timeLimit } = this.#options;
    const { rows } = await this.#loan.connection.send({
      name: statement.keepsPlan === true ? statement.name : undefined,
      text: renderedText(statement, schema),
      values: statement.encode(params),
      decode: statement.decode,
      timeLimit,
      onLoss: 'unknown',
    });
    return rows;
  }
}
