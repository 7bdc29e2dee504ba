import type { PoolClient, QueryArrayConfig, QueryArrayResult } from 'pg';
import type { EncodedParam } from '../sql/statement.js';
import { rawText } from './driver.js';
import { classify, connectionLost, timeLimitPassed, type OnLoss } from './errors.js';
import { startTimeLimit } from './time-limit.js';

export type RawRow = (string | null)[];

export interface Request {
  /** Under this name the session keeps the parsed and planned statement. */
  readonly name?: string | undefined;
  readonly text: string;
  readonly values: EncodedParam[];
  /** Milliseconds. */
  readonly timeLimit: number;
  readonly onLoss: OnLoss;
}

export interface Answer {
  readonly rows: RawRow[];
  /** The command tag, such as `COMMIT`. */
  readonly command: string;
}

/** One driver connection, and whether it may still be used. */
export class Connection {
  readonly client: PoolClient;
  #broken = false;

  constructor(client: PoolClient) {
    this.client = client;
  }

  get broken(): boolean {
    return this.#broken;
  }

  /** Unnamed unless the session is ours and the statement says so: a pooler may move a session. */
  send(request: Request): Promise<Answer> {
    const { name, text, values, timeLimit, onLoss } = request;
    return new Promise((resolve, reject) => {
      const cancelLimit = startTimeLimit(timeLimit, () => {
        this.destroy();
        reject(connectionLost(timeLimitPassed(timeLimit), onLoss));
      });
      const query: QueryArrayConfig<EncodedParam[]> = {
        ...(name === undefined ? {} : { name }),
        text,
        values,
        rowMode: 'array',
        types: rawText,
      };
      this.client.query<RawRow, EncodedParam[]>(
        query,
        (error: Error | null, result: QueryArrayResult<RawRow>) => {
          cancelLimit();
          if (error === null || error === undefined) resolve(answerOf(result));
          else reject(this.#failed(error, onLoss));
        },
      );
    });
  }

  /** Without a goodbye: nobody may be listening. */
  destroy(): void {
    this.#broken = true;
    destroySocket(this.client);
  }

  #failed(error: unknown, onLoss: OnLoss): unknown {
    const failure = classify(error, onLoss);
    if (failure.broken) this.destroy();
    return failure.error;
  }
}

/** A caller's pool may use another driver build, without a socket to get at. */
export function destroySocket(client: { connection?: { stream?: { destroy(): void } } }): void {
  client.connection?.stream?.destroy();
}

/** A text of several statements answers with several results. */
function answerOf(result: QueryArrayResult<RawRow> | readonly QueryArrayResult<RawRow>[]): Answer {
  const last = Array.isArray(result)
    ? (result as readonly QueryArrayResult<RawRow>[]).at(-1)
    : (result as QueryArrayResult<RawRow>);
  return last ?? { rows: [], command: '' };
}
