import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { defineJob } from '../job/define.js';
import type { Rowlock } from '../rowlock.js';
import { Scene } from '../testing/scene.js';

const work = defineJob('work');

let scene: Scene;
let role: string;
let rowlock: Rowlock;

/** The rights as the guide lists them. */
async function rightsInGuide(): Promise<string> {
  const guide = await readFile(new URL('../../../../docs/guides/permissions.md', import.meta.url), 'utf8');
  const block = /```sql\n(create role rowlock_producer[^]*?)```/.exec(guide)?.[1];
  assert.ok(block !== undefined, 'the guide lists the rights');
  return block;
}

before(async () => {
  scene = await Scene.open();
  role = `${scene.name}_producer`;
  await scene.sql.query((await rightsInGuide()).replaceAll('rowlock_producer', role));
  await scene.sql.query(`alter role ${role} password 'secret'`);
  const url = new URL(scene.url);
  url.username = role;
  url.password = 'secret';
  rowlock = scene.client({ connectionString: url.href, migrate: 'check' });
});

after(async () => {
  await scene.sql.query(`drop owned by ${role} cascade; drop role ${role}`);
  await scene.close();
});

test('a producer with the rights of the guide enqueues from TypeScript and from SQL', async () => {
  await rowlock.enqueue(work);
  await rowlock.enqueueMany([work.with(), work.with(undefined, { delay: '1h', maxAttempts: 2 })]);
  const calls = [
    `rowlock.enqueue('never defined')`,
    `rowlock.enqueue('work', priority => 1, delay => '1 minute')`,
    `rowlock.enqueue('work', policy => '{"maxAttempts": 3, "backoff": {"type": "fixed", "delayMs": 5000}}')`,
  ];
  await scene.sql.query(`set role ${role}`);
  for (const call of calls) await scene.sql.query(`select ${call}`);
  await scene.sql.query('reset role');
  assert.deepEqual(await scene.rows('select count(*)::int as jobs from rowlock.job'), [{ jobs: 6 }]);
});

test('what it may not do is NOT_ALLOWED, with the right that it lacks', async () => {
  const message =
    /^The role of this connection may not pause or resume in schema "rowlock": permission denied/;
  for (const refused of [rowlock.queues.pause('default'), rowlock.kinds.resume('work')])
    await assert.rejects(refused, { code: 'NOT_ALLOWED', message });
  await scene.sql.query(`revoke insert on rowlock.job from ${role}`);
  for (const refused of [rowlock.enqueue(work), rowlock.enqueueMany([work.with(), work.with()])]) {
    await assert.rejects(refused, {
      code: 'NOT_ALLOWED',
      message: /may not enqueue into schema "rowlock": permission denied .*--grant ROLE.*permissions\.md/,
    });
  }
});
