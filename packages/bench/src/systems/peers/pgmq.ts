import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, Pool } from 'pg';
import { inspectBySql } from '../sql-inspector.js';
import type {
  BenchArgs,
  Consumer,
  ConsumerOptions,
  Expected,
  Inspector,
  Keep,
  Producer,
  Purpose,
  System,
} from '../system.js';

const batch = 100;
const poolSize = 16;
const announced = `create constraint trigger announce after insert on pgmq.q_bench deferrable for each row execute function pgmq.announce()`;

interface Loop {
  readonly loops: number;
  /** How long an empty loop waits, in ms; null: for a notification. */
  readonly waitMs: number | null;
  /** For how long a message that was read is invisible, in s. */
  readonly invisible: number;
  /** How often that is put off while handlers run, in ms; null: never. */
  readonly putOffMs: number | null;
}

const loops: Readonly<Record<Purpose, Loop>> = {
  throughput: { loops: 2, waitMs: 20, invisible: 30, putOffMs: null },
  latency: { loops: 1, waitMs: null, invisible: 30, putOffMs: null },
  load: { loops: 2, waitMs: 10, invisible: 30, putOffMs: null },
  rescue: { loops: 1, waitMs: 20, invisible: 3, putOffMs: 1000 },
};

/** No library has a worker for it: the loop is the bench's own, and does less than any worker. */
export const pgmq: System = {
  name: 'pgmq',
  store: 'postgres',
  keeps: ['not kept', 'kept'],
  joinsTransactions: true,
  share: 1,
  given: (purpose) => {
    const { loops: count, waitMs, invisible, putOffMs } = loops[purpose];
    const waiting = waitMs === null ? 'LISTEN without a throttle' : `a poll every ${waitMs} ms when empty`;
    return `SQL in its manner, ${count} ${count === 1 ? 'loop' : 'loops'} of read(${invisible} s, ${batch}) and delete or archive by ids, ${waiting}${putOffMs === null ? '' : `, set_vt every ${putOffMs} ms`}`;
  },
  prepare: async (url, purpose) => {
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query(await readFile(new URL('../../../extras/pgmq.sql', import.meta.url), 'utf8'));
    if (loops[purpose].waitMs === null) await client.query(announced);
    await client.end();
  },
  producer: (url) => Promise.resolve(producerOn(new Pool({ connectionString: url, max: poolSize }))),
  consumer: (url, options) => Promise.resolve(new PgmqConsumer(url, options)),
  inspect,
};

function producerOn(pool: Pool): Producer {
  const send = 'select pgmq.send($1::jsonb)';
  return {
    one: async (args, delayMs) => {
      const text = JSON.stringify(args);
      if (delayMs === undefined) await pool.query(send, [text]);
      else await pool.query('select pgmq.send($1::jsonb, $2::interval)', [text, `${delayMs} ms`]);
    },
    many: async (jobs) => {
      await pool.query('select pgmq.send_batch($1::jsonb[])', [jobs.map((args) => JSON.stringify(args))]);
    },
    inTransaction: async (tx, args) => {
      await tx.query(send, [JSON.stringify(args)]);
    },
    close: () => pool.end(),
  };
}

class PgmqConsumer implements Consumer {
  readonly #url: string;
  readonly #options: ConsumerOptions;
  readonly #loop: Loop;
  readonly #clients: Client[] = [];
  #running: Promise<unknown> = Promise.resolve();
  #stopped = false;
  #settled = 0;
  #wake: () => void = () => undefined;

  constructor(url: string, options: ConsumerOptions) {
    this.#url = url;
    this.#options = options;
    this.#loop = loops[options.purpose];
  }

  async start(): Promise<void> {
    for (let i = 0; i < this.#loop.loops; i += 1) {
      const client = new Client({ connectionString: this.#url });
      await client.connect();
      client.on('notification', () => this.#wake());
      if (this.#loop.waitMs === null) await client.query('listen "pgmq.q_bench.INSERT"');
      this.#clients.push(client);
    }
    this.#running = Promise.all(this.#clients.map((client) => this.#run(client)));
  }

  settled(): number {
    return this.#settled;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wake();
    await this.#running;
    await Promise.all(this.#clients.map((client) => client.end()));
  }

  async #run(client: Client): Promise<void> {
    while (!this.#stopped) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      const taken = await this.#turn(client, this.#options.keep);
      if (taken > 0 || this.#stopped) continue;
      await (this.#loop.waitMs === null ? woken : pause(this.#loop.waitMs));
    }
  }

  async #turn(client: Client, keep: Keep): Promise<number> {
    const { rows } = await client.query<{ msg_id: string; read_ct: number; message: BenchArgs }>(
      'select msg_id, read_ct, message from pgmq.read($1::interval, $2)',
      [`${this.#loop.invisible} s`, batch],
    );
    if (rows.length === 0) return 0;
    const ids = rows.map(({ msg_id }) => msg_id);
    const held: Promise<boolean>[] = [];
    for (const { message, read_ct } of rows) {
      const verdict = this.#options.onStart(message, read_ct);
      if (typeof verdict !== 'boolean') held.push(verdict);
    }
    if (held.length > 0) await this.#hold(client, ids, held);
    await client.query(`select pgmq.${keep === 'kept' ? 'archive' : 'delete'}($1::bigint[])`, [ids]);
    this.#settled += rows.length;
    return rows.length;
  }

  /** Waits for handlers, and keeps their messages invisible if that is wanted. */
  async #hold(client: Client, ids: readonly string[], held: readonly Promise<boolean>[]): Promise<void> {
    const { putOffMs, invisible } = this.#loop;
    const putOff = (): void => {
      // A connection that was cut off fails the next statement of the loop too.
      client
        .query('select pgmq.set_vt($1::bigint[], $2::interval)', [ids, `${invisible} s`])
        .catch(() => undefined);
    };
    const timer = putOffMs === null ? undefined : setInterval(putOff, putOffMs);
    await Promise.all(held);
    clearInterval(timer);
  }
}

function inspect(url: string): Promise<Inspector> {
  return inspectBySql(url, {
    live: 'select exists (select from pgmq.q_bench) as live',
    census: ({ live, finished }: Expected) => ({
      text: `select (select count(*) from pgmq.q_bench)::integer as live, (select count(*) from pgmq.a_bench)::integer as finished,
               (select count(*) from pgmq.q_bench where read_ct > 0)::integer as odd`,
      wanted: { live, finished, odd: 0 },
    }),
  });
}
