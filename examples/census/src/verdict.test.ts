import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FileCount } from './count-file.js';
import type { JobRow } from './ledger.js';
import { judge } from './verdict.js';
import type { Evidence } from './verdict.js';

const startedAt = 1_000_000;

function countOf(lines: number): FileCount {
  return { sha256: `hash of ${String(lines)}`, bytes: lines * 10, lines, language: 'SQL' };
}

function row(id: number, changes: Partial<JobRow> = {}): JobRow {
  return {
    id: String(id),
    state: 'completed',
    attempt: 1,
    crashes: 0,
    reason: null,
    output: countOf(id),
    ...changes,
  };
}

/** Three files in order: the second one rescued, the third one unreadable. */
function evidence(changes: Partial<Evidence> = {}): Evidence {
  return {
    files: ['/a', '/b', '/c'],
    ids: ['1', '2', '3'],
    jobs: [
      row(1),
      row(2, { attempt: 2, crashes: 1 }),
      row(3, { state: 'cancelled', reason: 'EACCES', output: null }),
    ],
    recounted: [
      { ...countOf(1), changedAt: 5 },
      { ...countOf(2), changedAt: 5 },
      { unreadable: 'EACCES', changedAt: Infinity },
    ],
    heldId: '2',
    startedAt,
    ...changes,
  };
}

/** Replaces the rows of some jobs. */
function withRows(...rows: JobRow[]): Evidence {
  const replaced = new Set(rows.map(({ id }) => id));
  return evidence({ jobs: [...evidence().jobs.filter(({ id }) => !replaced.has(id)), ...rows] });
}

function against(changed: Evidence): string[] {
  const verdict = judge(changed);
  const all = verdict.checks.flatMap((check) => check.against);
  assert.equal(verdict.holds, all.length === 0);
  return all;
}

test('holds when every file has its row and the recount agrees', () => {
  const verdict = judge(evidence());
  assert.equal(verdict.holds, true);
  assert.deepEqual(
    verdict.checks.map(({ claim }) => claim),
    [
      '3 files, each with exactly one row of history',
      'nothing is live, nothing was discarded',
      'files, lines and bytes per language equal those of a single-threaded recount',
      'so do size, lines and SHA-256 of every single file',
      '1 job rescued from the killed worker, all ended in attempt 2',
    ],
  );
  assert.deepEqual(verdict.unreadable, ['/c (EACCES)']);
  assert.deepEqual(verdict.changed, []);
  assert.deepEqual(verdict.languages.get('SQL'), { files: 2, lines: 3, bytes: 30, rescued: 1 });
});

test('a lost job', () => {
  const jobs = evidence().jobs.filter(({ id }) => id !== '1');
  assert.deepEqual(against(evidence({ jobs })), [
    '/a: no row',
    'SQL: 1 file 2 lines 20 bytes by jobs, 2 files 3 lines 30 bytes in the recount',
    '/a was counted otherwise',
  ]);
});

test('a job with two rows, a job of no file, two files with one job', () => {
  const { jobs } = evidence();
  assert.deepEqual(against(evidence({ jobs: [...jobs, row(1)] })), ['/a: completed, completed']);
  assert.deepEqual(against(evidence({ jobs: [...jobs, row(9)] })), ['job 9 belongs to no file']);
  assert.ok(against(evidence({ ids: ['1', '2', '2'] })).includes('2 jobs for 3 files'));
  assert.ok(against(evidence({ ids: ['1', '2'] })).includes('/c: no row'));
});

test('a live or discarded job', () => {
  assert.deepEqual(against(withRows(row(1, { state: 'running' }))), ['/a: running', 'job 1 is running']);
  const discarded = row(1, { state: 'discarded', reason: 'POISON' });
  assert.deepEqual(against(withRows(discarded)), ['/a: discarded', 'job 1 is discarded POISON']);
});

test('a wrong count, even if the sums agree', () => {
  const otherHash = row(1, { output: { ...countOf(1), sha256: 'of something else' } });
  assert.deepEqual(against(withRows(otherHash)), ['/a was counted otherwise']);
});

test('a cancelled job of a file that can be read', () => {
  const cancelled = row(1, { state: 'cancelled', reason: 'EACCES', output: null });
  assert.ok(against(withRows(cancelled)).includes('/a was counted otherwise'));
});

test('a file that changed meanwhile proves nothing, and is named', () => {
  const [, ...others] = evidence().recounted;
  const changed = evidence({ recounted: [{ ...countOf(99), changedAt: startedAt }, ...others] });
  assert.deepEqual(against(changed), []);
  assert.deepEqual(judge(changed).changed, ['/a']);
  assert.match(judge(changed).checks[2]?.claim ?? '', /recount, 1 changed file aside$/);
});

test('no rescue, a rescue in attempt 1, the job of the killed worker not rescued', () => {
  assert.deepEqual(against(withRows(row(2))), [
    'no rescued job ended in attempt 2',
    'job 2, which the killed worker held, was not rescued',
  ]);
  assert.ok(against(withRows(row(2, { crashes: 1 }))).includes('job 2 ended in attempt 1'));
  assert.deepEqual(against(evidence({ heldId: '1' })), [
    'job 1, which the killed worker held, was not rescued',
  ]);
});
