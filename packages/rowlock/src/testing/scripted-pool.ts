import type { Database, Line } from '../db/executor.js';
import type { Statement } from '../sql/statement.js';
import { ScriptedDatabase } from './scripted-database.js';

/** A database whose transactions are counted and whose statements wait for the test. */
export class ScriptedPool extends ScriptedDatabase implements Database {
  readonly schema = 'rowlock';
  readonly transactions: string[] = [];
  /** As behind a pooler; false: sessions of ours. */
  isPooled = true;

  /** Lines that were opened and not closed, or closed more often than opened. */
  openLines = 0;

  openLine(): Promise<Line> {
    this.openLines += 1;
    return Promise.resolve({
      depth: this.isPooled ? 1 : 2,
      run: (statement, params) => this.run(statement, params),
      runAlone: <Params, Row>(statement: Statement<Params, Row>, params: Params) =>
        this.isPooled ? Promise.resolve(undefined) : this.run(statement, params),
      close: () => void (this.openLines -= 1),
    });
  }

  async transaction<T>(work: (tx: ScriptedDatabase) => Promise<T>): Promise<T> {
    this.transactions.push('begin');
    try {
      const result = await work(this);
      this.transactions.push('commit');
      return result;
    } catch (error) {
      this.transactions.push('rollback');
      throw error;
    }
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
