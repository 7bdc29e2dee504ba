import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { commitTransaction } from '../../sql/generated/statements.gen.js';
import { createTestDatabase, type TestDatabase } from '../../testing/database.js';
import { rawStatement } from '../../testing/raw-statement.js';
import { poseAsPooler } from '../../testing/server-messages.js';
import { startTcpProxy, type TcpProxy } from '../../testing/tcp-proxy.js';
import { HelperSession } from './session.js';

const settings = rawStatement(
  `select current_setting('statement_timeout'), current_setting('search_path'), current_setting('transaction_isolation')`,
);
const ours = ['2s', 'pg_catalog, pg_temp', 'read committed'];

let database: TestDatabase;
let proxy: TcpProxy;

before(async () => {
  database = await createTestDatabase();
  proxy = await startTcpProxy(database.url);
});

after(async () => {
  await proxy.close();
  await database.drop();
});

async function dialled(work: (session: HelperSession) => Promise<void>): Promise<void> {
  const session = await HelperSession.dial({
    config: { connectionString: proxy.url },
    schema: 'rowlock',
    connectLimitMs: 5000,
    answerLimitMs: 2000,
    signal: new AbortController().signal,
    onNotification: () => undefined,
  });
  try {
    await work(session);
  } finally {
    await session.end();
  }
}

test('a session of our own keeps its settings', () =>
  dialled(async (session) => {
    assert.equal(session.pooled, false);
    assert.deepEqual(await session.inTurn((run) => run(settings, [])), [ours]);
  }));

test('behind a pooler settings come with each transaction, and none stays with the backend', async () => {
  proxy.filter = poseAsPooler;
  await dialled(async (session) => {
    proxy.filter = undefined;
    assert.equal(session.pooled, true);
    const [during, afterwards] = await session.inTurn(async (run) => {
      const rows = await run(settings, []);
      await run(commitTransaction, {});
      return [...rows, ...(await run(settings, []))];
    });
    assert.deepEqual(during, ours);
    assert.deepEqual(afterwards?.slice(0, 2), ['0', '"$user", public']);
  });
});

test('turns do not overlap, and a failed one does not stop the next', () =>
  dialled(async (session) => {
    const failed = session.inTurn((run) => run(rawStatement('select 1 / 0'), []));
    const next = session.inTurn((run) => run(rawStatement(`select 'still here'`), []));
    await assert.rejects(failed, /division by zero/);
    assert.deepEqual(await next, [['still here']]);
  }));
