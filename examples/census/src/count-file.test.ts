import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { cancel } from 'rowlock';
import { countOrCancel } from './count-file.js';
import { listFiles } from './list-files.js';
import { recount } from './recount.js';

const { signal } = new AbortController();
let folder = '';

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'census-'));
  await mkdir(join(folder, 'sub'));
  await writeFile(join(folder, 'empty.sql'), '');
  await writeFile(join(folder, 'one.ts'), 'one line\n');
  await writeFile(join(folder, 'sub', 'long.md'), 'ein Käse 🧀\n'.repeat(40_000) + 'the end');
  await writeFile(join(folder, 'sub', 'bytes.bin'), Buffer.from([0, 10, 255, 10, 13]));
  await symlink(join(folder, 'one.ts'), join(folder, 'link.ts'));
  await symlink('..', join(folder, 'sub', 'loop'));
  await utimes(join(folder, 'one.ts'), new Date(), new Date(2_000));
});

after(() => rm(folder, { recursive: true }));

test('lists regular files only, and follows no symlink', async () => {
  const { files, closedFolders } = await listFiles(folder, signal);
  const expected = ['empty.sql', 'one.ts', 'sub/bytes.bin', 'sub/long.md'];
  assert.deepEqual(
    files,
    expected.map((path) => join(folder, path)),
  );
  assert.deepEqual(closedFolders, []);
});

test('counts what is known of a file', async () => {
  assert.deepEqual(await countOrCancel(join(folder, 'one.ts'), signal), {
    sha256: '3887c2cd3bec16420dc71507a74cf7f0a5effdd361f6d9cbe27b77831de8f65f',
    bytes: 9,
    lines: 1,
    language: 'TypeScript',
  });
});

test('the job and the recount agree, and know of the last change', async () => {
  const { files } = await listFiles(folder, signal);
  const recounted = await recount(files, signal);
  const byJobs = await Promise.all(files.map((path) => countOrCancel(path, signal)));
  assert.deepEqual(
    recounted.map(({ changedAt: _, ...count }) => count),
    byJobs,
  );
  for (const { changedAt } of recounted) assert.ok(Math.abs(Date.now() - changedAt) < 60_000);
});

test('what cannot be read is cancelled with the reason, and so in the recount', async () => {
  const [missing, link] = [join(folder, 'missing.ts'), join(folder, 'link.ts')];
  assert.deepEqual(await countOrCancel(missing, signal), cancel('ENOENT'));
  assert.deepEqual(await countOrCancel(link, signal), cancel('ELOOP'));
  assert.deepEqual(await recount([missing], signal), [{ unreadable: 'ENOENT', changedAt: Infinity }]);
});

test('a folder that cannot be opened is named; that the first one is not there is an error', async (t) => {
  await assert.rejects(listFiles(join(folder, 'missing'), signal), { code: 'ENOENT' });
  if (process.getuid?.() === 0) return t.diagnostic('root opens every folder');
  await chmod(join(folder, 'sub'), 0);
  const { closedFolders } = await listFiles(folder, signal).finally(() => chmod(join(folder, 'sub'), 0o700));
  assert.deepEqual(closedFolders, [`${join(folder, 'sub')} (EACCES)`]);
});

test('an abort ends counting and listing', async () => {
  const aborted = AbortSignal.abort(new Error('enough'));
  await assert.rejects(countOrCancel(join(folder, 'one.ts'), aborted), /enough/);
  await assert.rejects(listFiles(folder, aborted), /enough/);
});
