import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  breakingMigration,
  firstMigration,
  secondMigration,
  testMigration,
} from '../testing/test-migration.js';
import { migrations } from '../sql/generated/migrations.gen.js';
import { recordOf } from './export-sql.js';
import { minCompatible, planFor, requireCurrent } from './plan.js';

const all = [firstMigration, secondMigration, breakingMigration];
const applied = all.map(recordOf);

function versions(known: typeof all, database: typeof applied): number[] {
  return planFor('s', known, database).pending.map(({ version }) => version);
}

test('what the database lacks is pending, oldest first', () => {
  assert.deepEqual(versions(all, []), [1, 2, 3]);
  assert.deepEqual(versions(all, applied.slice(0, 1)), [2, 3]);
  assert.deepEqual(versions(all, applied), []);
});

test('code works beside a newer schema that says so, and only beside such', () => {
  assert.deepEqual(versions(all.slice(0, 1), applied.slice(0, 2)), []);
  assert.throws(() => versions(all.slice(0, 1), applied), { code: 'SCHEMA_TOO_NEW', message: /knows 1/ });
  assert.throws(() => versions(all.slice(0, 2), applied), { code: 'SCHEMA_TOO_NEW' });
});

test('an applied migration may not change', () => {
  const edited = testMigration(1, `${firstMigration.text}-- edited\n`);
  assert.throws(() => versions([edited, secondMigration], applied.slice(0, 2)), {
    code: 'MIGRATION_CHANGED',
  });
});

test('a migration is never applied behind a later one', () => {
  assert.throws(() => versions(all, [applied[0]!, applied[2]!]), {
    code: 'MIGRATION_CHANGED',
    message: /never applied/,
  });
});

test('a schema that is missing is told from one that is old', () => {
  assert.throws(() => requireCurrent(planFor('s', all, [])), { code: 'SCHEMA_MISSING' });
  assert.throws(() => requireCurrent(planFor('s', all, applied.slice(0, 2))), {
    code: 'SCHEMA_OUTDATED',
    message: /at migration 2, .* needs 3/,
  });
  requireCurrent(planFor('s', all, applied));
});

test('without a word on it, a migration breaks older code', () => {
  assert.deepEqual(all.map(minCompatible), [1, 1, 3]);
});

test('every released migration says how far back it is compatible', () => {
  for (const migration of migrations) {
    assert.match(migration.text, /^-- compatible: \d+$/m, migration.name);
    assert.ok(minCompatible(migration) <= migration.version);
  }
});
