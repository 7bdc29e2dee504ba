import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { MigrateMode } from '../config/options.js';
import { defineJob } from '../job/define.js';
import { grantSql } from '../migrate/export-sql.js';
import { createTestDatabase } from '../testing/database.js';
import { Scene } from '../testing/scene.js';
import { until } from '../testing/until.js';

const work = defineJob('work');
const handlers = [work.handle(() => undefined)];

let scene: Scene;
let role: string;
before(async () => {
  scene = await Scene.open();
  role = `${scene.name}_denied`;
  await scene.sql.query(`create role ${role} login password 'secret'`);
});
after(async () => {
  await scene.sql.query(`drop owned by ${role} cascade; drop role ${role}`);
  await scene.close();
});
beforeEach(() => scene.clear());

function asRole(url: string): string {
  const its = new URL(url);
  its.username = role;
  its.password = 'secret';
  return its.href;
}

async function refusal(url: string, migrate: MigrateMode, message: RegExp): Promise<void> {
  const rowlock = scene.client({ connectionString: asRole(url), migrate });
  const worker = rowlock.worker({ handlers });
  await assert.rejects(worker.start(), { code: 'NOT_ALLOWED', message });
  assert.equal(worker.health().state, 'stopped');
  await assert.rejects(rowlock.worker({ handlers }).run(), { code: 'NOT_ALLOWED' });
  await rowlock.close();
}

test('a worker whose role lacks a right does not start, and says which', async () => {
  for (const mode of ['check', 'auto'] as const)
    await refusal(scene.url, mode, /may not read schema "rowlock": permission denied for schema rowlock\./);
  await scene.sql.query(
    `grant usage on schema rowlock to ${role}; grant select on rowlock.migration to ${role}`,
  );
  const remedy = /may not work: permission denied for (?:table kind|function \w+)\. .*migrate --grant ROLE/;
  await refusal(scene.url, 'check', remedy);
  await refusal(scene.url, 'off', remedy);
  assert.deepEqual(scene.log, []);
});

test('a worker that is to make the schema and may not says so', async () => {
  const empty = await createTestDatabase({ migrated: false });
  await refusal(empty.url, 'auto', /may not migrate schema "rowlock": permission denied for database/);
  await empty.drop();
});

test('a right that is taken from a running worker is waited for', async () => {
  await scene.sql.query(grantSql({ role }));
  const rowlock = scene.client({ connectionString: asRole(scene.url), migrate: 'check' });
  await scene.working(
    { handlers },
    async ({ worker }) => {
      await scene.sql.query(`revoke update on rowlock.job from ${role}`);
      const { id } = await scene.client().enqueue(work);
      await until(() => scene.log.some(({ fields }) => /permission denied/.test(String(fields['error']))));
      assert.equal(worker.health().state, 'running');
      await scene.sql.query(`grant update on rowlock.job to ${role}`);
      await scene.untilState(id, 'completed');
      await until(() => worker.health().ok);
    },
    rowlock,
  );
});
