import { Query, type PoolClient, type QueryArrayConfig, type QueryArrayResult } from 'pg';
import type { EncodedParam } from '../sql/statement.js';
import { rawText } from './driver.js';
import { classify, timeLimitPassed, type OnLoss } from './errors.js';
import { withTimeLimit } from './time-limit.js';

export type RawRow = (string | null)[];

export interface Request<Row> {
  /** Under this name the session keeps the parsed and planned statement. */
  readonly name?: string | undefined;
  readonly text: string;
  readonly values: EncodedParam[];
  readonly decode: (row: RawRow) => Row;
  /** Milliseconds. */
  readonly timeLimit: number;
  readonly onLoss: OnLoss;
}

export interface Answer<Row> {
  /** Those of the last statement, where the text has several. */
  readonly rows: Row[];
  /** The command tag, such as `COMMIT`. */
  readonly command: string;
}

type DriverConfig = QueryArrayConfig<EncodedParam[]>;
type DriverResult = QueryArrayResult<RawRow>;
/** Runs one query; each row of its answer goes through `onRow`. */
type RunQuery = <Row>(
  client: PoolClient,
  config: DriverConfig,
  onRow: (row: RawRow) => Row,
) => Promise<Answer<Row>>;

/** One driver connection, and whether it may still be used. */
export class Connection {
  readonly client: PoolClient;
  readonly #ours: boolean;
  #broken = false;

  /** @param ours whether the client was made by the driver that we import; a caller's pool may use another build */
  constructor(client: PoolClient, { ours }: { readonly ours: boolean }) {
    this.client = client;
    this.#ours = ours;
  }

  get broken(): boolean {
    return this.#broken;
  }

  /** Unnamed unless the session is ours and the statement says so: a pooler may move a session. */
  async send<Row>({ name, text, values, decode, timeLimit, onLoss }: Request<Row>): Promise<Answer<Row>> {
    const kept = name === undefined ? {} : { name };
    const config: DriverConfig = { ...kept, text, values, rowMode: 'array', types: rawText };
    const query = this.#ours ? queryRowByRow : queryAllRows;
    try {
      return await withTimeLimit(query(this.client, config, decode), {
        ms: timeLimit,
        // An answer that is still arriving, over a slow network, does not come from a silent server.
        progress: () => socketOf(this.client)?.bytesRead ?? 0,
        expired: () => timeLimitPassed(timeLimit),
      });
    } catch (error) {
      throw this.#failed(error, onLoss);
    }
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

interface Socket {
  readonly bytesRead?: number;
  destroy(): void;
  ref?(): void;
  unref?(): void;
}

interface WithSocket {
  readonly connection?: { readonly stream?: Socket };
}

/** A caller's pool may use another driver build, without a socket to get at. */
function socketOf(client: WithSocket): Socket | undefined {
  return client.connection?.stream;
}

/** Whether the process stays alive for the sake of this connection. */
export function keepsProcess(client: WithSocket, keeps: boolean): void {
  const socket = socketOf(client);
  if (keeps) socket?.ref?.();
  else socket?.unref?.();
}

export function destroySocket(client: WithSocket): void {
  socketOf(client)?.destroy();
}

/** Decodes rows as they arrive: a thousand of them kept as the driver makes them cost more to collect than to read. */
const queryRowByRow: RunQuery = (client, config, onRow) =>
  new Promise((resolve, reject) => {
    let statement: unknown;
    let rows: ReturnType<typeof onRow>[] = [];
    let unreadable: { readonly cause: unknown } | undefined;
    const ended = (error: Error | null | undefined, result: DriverResult): void => {
      if (error !== null && error !== undefined) return reject(error);
      if (unreadable !== undefined) return reject(unreadable.cause);
      const last = lastOf(result);
      resolve({ rows: last === statement ? rows : [], command: last.command });
    };
    // Its event `error` is not told where a read timeout is set (in a connection string, say), hence the callback.
    const query = new Query<RawRow, EncodedParam[]>(config, ended);
    query.on('row', (row, result) => {
      if (result === undefined || unreadable !== undefined) return;
      if (result !== statement) [statement, rows] = [result, []];
      // The driver keeps each row once there is a callback.
      result.rows.length = 0;
      try {
        rows.push(onRow(row));
      } catch (cause) {
        unreadable = { cause };
      }
    });
    client.query(query);
  });

/** For the clients of a caller's pool, which may be of another build than our `Query`. */
const queryAllRows: RunQuery = (client, config, onRow) =>
  new Promise((resolve, reject) => {
    client.query<RawRow, EncodedParam[]>(config, (error: Error | null, result: DriverResult) => {
      if (error !== null && error !== undefined) return reject(error);
      try {
        const { rows, command } = lastOf(result);
        resolve({ rows: rows.map(onRow), command });
      } catch (cause) {
        reject(cause);
      }
    });
  });

/** A text of several statements answers with several results. */
function lastOf<Result>(result: Result | readonly Result[]): Result {
  return (Array.isArray(result) ? (result as readonly Result[]).at(-1) : result) as Result;
}
