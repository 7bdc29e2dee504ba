import pg from 'pg';
import { setUpSession } from '../../sql/generated/statements.gen.js';
import type { EncodedParam, Statement } from '../../sql/statement.js';
import { quoteLiteral } from '../../sql/render-schema.js';

/** A node of a plan as `explain (format json)` has it. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly 'Actual Loops'?: number;
  readonly Plans?: readonly PlanNode[];
}

interface Explained {
  readonly Plan: PlanNode;
  readonly 'Execution Time': number;
}

/** How a table was reached: `job by job_claim`, `job by Tid Scan`. */
export interface Explanation {
  readonly ways: readonly string[];
  /** Pages looked at while it ran, in memory or not. */
  readonly buffers: number;
  readonly ms: number;
  /** Pages that statements before it had to look at, once. */
  readonly caughtUp?: number;
}

/** A session as the library sets it up, in which statements are kept under a name, or planned afresh under a new one. */
export class ExplainingSession {
  readonly #client: pg.Client;
  readonly #kept = new Set<string>();
  #count = 0;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  static async open(url: string): Promise<ExplainingSession> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(setUpSession.text);
    return new ExplainingSession(client);
  }

  async close(): Promise<void> {
    await this.#client.end();
  }

  afresh<Params, Row>(statement: Statement<Params, Row>, params: Params): Promise<Explanation> {
    this.#count += 1;
    return this.kept(`afresh_${String(this.#count)}`, statement, params);
  }

  /** Runs the statement as it was prepared when its name was first used, and undoes what it did. */
  async kept<Params, Row>(
    name: string,
    statement: Statement<Params, Row>,
    params: Params,
  ): Promise<Explanation> {
    if (!this.#kept.has(name)) await this.#client.query(`prepare ${name} as ${statement.text}`);
    this.#kept.add(name);
    const literals = statement.encode(params).map(literalOf).join(', ');
    const text = `explain (analyze, buffers, timing off, format json) execute ${name}${literals === '' ? '' : `(${literals})`}`;
    await this.#client.query('begin');
    try {
      const { rows } = await this.#client.query<{ 'QUERY PLAN': [Explained] }>(text);
      const [answer] = rows;
      if (answer === undefined) throw new TypeError('explain answered nothing');
      const { Plan: plan, 'Execution Time': ms } = answer['QUERY PLAN'][0];
      const buffers = (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
      return { ways: [...new Set(waysOf(plan))].sort(), buffers, ms };
    } finally {
      await this.#client.query('rollback');
    }
  }
}

function literalOf(value: EncodedParam): string {
  return value === null ? 'null' : quoteLiteral(String(value));
}

/** A bitmap's index and its heap are two nodes; an update or delete is none. Nodes that never ran do not count. */
function waysOf(node: PlanNode): string[] {
  const below = (node.Plans ?? []).flatMap(waysOf);
  if ((node['Actual Loops'] ?? 0) === 0 || node['Node Type'] === 'ModifyTable') return below;
  const index = node['Index Name'];
  const table = node['Relation Name'];
  if (index !== undefined) return [...below, `by ${index}`];
  if (table === undefined || node['Node Type'] === 'Bitmap Heap Scan') return below;
  return [...below, `${table} by ${node['Node Type']}`];
}
