import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { lookUpClaims } from '../sql/generated/statements.gen.js';
import { ExplainingSession } from '../testing/plans/explain.js';
import { Scene } from '../testing/scene.js';

let scene: Scene;
before(async () => {
  scene = await Scene.open();
  await scene.sql.query('alter table rowlock.finished_7 set (autovacuum_enabled = off)');
});
after(() => scene.close());

const summarize = (): Promise<object[]> => scene.rows('select from rowlock.summarize_history()');

/** Ranges that had no summary. */
async function leftIn(leaf: number): Promise<number> {
  const index = `rowlock.finished_${String(leaf)}_id_finished_at_idx`;
  const [row] = await scene.rows<{ count: number }>(`select brin_summarize_new_values('${index}') as count`);
  return row?.count ?? NaN;
}

/** Ten hours in which a backlog of small ids ended between new jobs of large ones. */
const fill = `insert into rowlock.finished (leaf, id, worker_id, run_at, created_at, claimed_at, finished_at, claim_no, attempt, priority, crashes, state, queue, kind, args)
  select 7, case when n % 2 = 0 then n else 1000000 + n end, 1, at.due, at.due, at.due, at.due, 1, 1, 5, 0, 'completed', 'default', 'work', '{}'
  from generate_series(1, 60000) n cross join lateral (select clock_timestamp() - interval '10 hours' * (60001 - n) / 60000 as due) at`;

test('what was written since is summarized, and a leaf that somebody has locked waits for the next time', async () => {
  await scene.sql.query(fill);
  const other = new pg.Client({ connectionString: scene.url });
  await other.connect();
  await other.query('begin; lock table rowlock.finished_7 in share update exclusive mode');
  await summarize();
  await other.query('rollback');
  await other.end();
  assert.ok((await leftIn(7)) > 0);
  await scene.sql.query(fill);
  await summarize();
  assert.equal(await leftIn(7), 0);
});

test('a job that waited for hours is looked up in what ended since its claim, not since it was due', async () => {
  const session = await ExplainingSession.open(scene.url);
  try {
    const [row] = await scene.rows<{ pages: string }>(
      `select pg_relation_size('rowlock.finished_7') / 8192 as pages`,
    );
    const pagesFor = async (hoursAgo: number): Promise<number> => {
      const claimedAts = [(Date.now() - hoursAgo * 3_600_000) * 1000];
      const { buffers } = await session.afresh(lookUpClaims, { ids: ['60000'], claimNos: [1], claimedAts });
      return buffers;
    };
    const all = Number(row?.pages);
    assert.ok((await pagesFor(11)) > all);
    assert.ok((await pagesFor(1 / 60)) < all / 3, `few of ${String(all)} pages`);
  } finally {
    await session.close();
  }
});
