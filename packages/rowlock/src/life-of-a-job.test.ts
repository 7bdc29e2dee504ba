import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { renderedText } from './db/rendered-text.js';
import { defineJob, Rowlock, silentLogger, type } from './index.js';
import { deferred } from './runtime/deferred.js';
import { claimNamed, enqueueAlone, settleAndClaim, settleFacts } from './sql/generated/statements.gen.js';
import { CausalStack, type Hop } from './testing/causal-stack.js';
import { createTestDatabase, type TestDatabase } from './testing/database.js';
import { linksOf, names, tableOf } from './testing/document.js';
import { until } from './testing/until.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const document = join(root, 'docs/life-of-a-job.md');
const source = join(root, 'packages/rowlock/src');

/** From the entry of each stage to its SQL text (of `run`: to the handler), functions of ours at most. */
const budgets: Readonly<Record<string, number>> = {
  enqueue: 4,
  claim: 4,
  'claim by name': 4,
  run: 2,
  settle: 4,
  'settle a fact': 4,
};

let database: TestDatabase;
before(async () => (database = await createTestDatabase()));
after(() => database.drop());

test('every function, type and file that the document names is where its link leads', () => {
  const links = linksOf(readFileSync(document, 'utf8'));
  assert.ok(links.length >= 60, `only ${links.length} links: the document walks the whole way`);
  const wrong = links.flatMap(({ text, target }) => {
    const path = join(dirname(document), target);
    if (!existsSync(path)) return [`${target} does not exist`];
    const name = /^`([^`]+)`$/.exec(text)?.[1];
    return name === undefined || names(readFileSync(path, 'utf8'), name) ? [] : [`${target} has no ${name}`];
  });
  assert.deepEqual(wrong, []);
});

test('the way from each entry point to its SQL text is the one in the document, and within its budget', async () => {
  const taken = await ways(documentedWays());
  for (const { stage, entry, hops, budget } of documentedWays()) {
    assert.equal(budget, budgets[stage], `the budget of ${stage}`);
    assert.deepEqual(taken.get(stage), hops, `the way of ${stage} from ${entry.name}`);
    assert.ok(hops.length <= budget, `${stage}: ${hops.length} hops, at most ${budget}`);
  }
  assert.deepEqual([...taken.keys()].sort(), Object.keys(budgets).sort());
});

interface Way {
  readonly stage: string;
  readonly entry: Hop;
  /** Between the entry and the SQL text, first one first. */
  readonly hops: readonly Hop[];
  readonly budget: number;
}

function documentedWays(): Way[] {
  return tableOf(readFileSync(document, 'utf8'), 'The hop budget').map(
    ([stage = '', entry = '', way = '', , budget]) => {
      const [first] = hopsOf(entry);
      assert.ok(first !== undefined, `${stage} has no entry`);
      return { stage, entry: first, hops: hopsOf(way), budget: Number(budget) };
    },
  );
}

function hopsOf(cell: string): Hop[] {
  return linksOf(cell).map(({ text, target }) => {
    const name = text.replaceAll('`', '').split('.').at(-1) ?? '';
    return { file: relative(source, join(dirname(document), target)), name };
  });
}

/** Runs jobs until each stage was seen to be entered where the document says. */
async function ways(documented: readonly Way[]): Promise<Map<string, readonly Hop[]>> {
  const taken = new Map<string, readonly Hop[]>();
  const stack = new CausalStack();
  const see = (stage: string): void => {
    const entry = documented.find((way) => way.stage === stage)?.entry;
    const trace = stack.trace();
    const end = trace.findIndex(({ file, name }) => file === entry?.file && name === entry.name);
    if (end >= 0 && !taken.has(stage)) taken.set(stage, trace.slice(0, end).reverse());
  };
  const unwatch = watchQueries((text, values) => {
    for (const stage of stagesOf(text, values)) see(stage);
  });
  stack.enable();
  try {
    await runJobs({
      onHandler: () => see('run'),
      seenAll: () => taken.size === Object.keys(budgets).length,
    });
  } finally {
    stack.disable();
    unwatch();
  }
  return taken;
}

function stagesOf(text: string, values: readonly unknown[]): string[] {
  const [, ids, , , , queues] = values;
  if (text === renderedText(enqueueAlone, 'rowlock')) return ['enqueue'];
  if (text === renderedText(claimNamed, 'rowlock')) return ['claim by name'];
  if (text === renderedText(settleFacts, 'rowlock')) return ['settle a fact'];
  if (text !== renderedText(settleAndClaim, 'rowlock')) return [];
  return [...(ids === '{}' ? [] : ['settle']), ...(queues === '{}' ? [] : ['claim'])];
}

/** Of every connection of the driver in this thread. */
function watchQueries(onQuery: (text: string, values: readonly unknown[]) => void): () => void {
  const { prototype } = pg.Client;
  const { query } = prototype;
  prototype.query = new Proxy(query, {
    apply(target, self, parameters: [{ text?: string; values?: readonly unknown[] }]) {
      onQuery(parameters[0].text ?? '', parameters[0].values ?? []);
      const answer: unknown = Reflect.apply(target, self, parameters);
      return answer;
    },
  });
  return () => void (prototype.query = query);
}

interface Watch {
  readonly onHandler: () => void;
  readonly seenAll: () => boolean;
}

/** One job at a time, every second one failing. A stage may be entered by chance in another way, hence several tries. */
async function runJobs({ onHandler, seenAll }: Watch): Promise<void> {
  const rowlock = new Rowlock({ connectionString: database.url, migrate: 'off', logger: silentLogger });
  const job = defineJob('walked', { args: type<{ fails: boolean }>(), maxAttempts: 1 });
  let finish = deferred();
  const handler = job.handle(async ({ args }) => {
    onHandler();
    await finish.promise;
    if (args.fails) throw new Error('as asked');
  });
  const worker = rowlock.worker({ handlers: [handler], queues: { default: { concurrency: 1 } } });
  try {
    await worker.start();
    await until(() => worker.health().listening);
    for (let tries = 0; tries < 20 && !seenAll(); tries += 1) {
      finish = deferred();
      const started = event((done) => worker.on('started', done));
      const settled = event((done) => worker.on('settled', done));
      await rowlock.enqueue(job, { fails: tries % 2 === 1 });
      await started;
      // The turn that the claim itself has asked for is over: what follows is the doing of the handler's end alone.
      await new Promise(setImmediate);
      finish.resolve();
      await settled;
    }
  } finally {
    finish.resolve();
    await rowlock.close();
  }
}

/** Resolves at the next one. */
async function event(on: (done: () => void) => () => void): Promise<void> {
  const { promise, resolve } = deferred();
  const off = on(resolve);
  await promise;
  off();
}
