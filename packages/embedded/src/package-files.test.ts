import assert from 'node:assert/strict';
import { lstat, mkdir, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { cachedCopy, restoreSymlinks } from './package-files.js';
import { makeScratch } from './testing/scratch.js';

async function makePackage(folder: string): Promise<string> {
  const native = join(folder, 'native');
  await mkdir(join(native, 'lib'), { recursive: true });
  await mkdir(join(native, 'bin'));
  await writeFile(join(folder, 'package.json'), '{ "version": "1.2.3" }', { mode: 0o600 });
  await writeFile(join(native, 'bin', 'postgres'), 'server', { mode: 0o700 });
  await writeFile(join(native, 'lib', 'libpq.so.5.18'), 'library', { mode: 0o600 });
  await writeFile(
    join(native, 'pg-symlinks.json'),
    '[{"source":"native/lib/libpq.so.5.18","target":"native/lib/libpq.so.5"}]',
  );
  return native;
}

test('restores the symlinks, from several sides at once and again', async () => {
  await using scratch = await makeScratch();
  const native = await makePackage(scratch.path);
  await Promise.all(Array.from({ length: 10 }, () => restoreSymlinks(native)));
  await restoreSymlinks(native);
  assert.ok((await lstat(join(native, 'lib', 'libpq.so.5'))).isSymbolicLink());
  assert.equal(await readFile(join(native, 'lib', 'libpq.so.5'), 'utf8'), 'library');
});

test('a copy is complete, readable by all, made once and repaired', async () => {
  await using scratch = await makeScratch();
  const native = await makePackage(join(scratch.path, 'package'));
  const folder = join(scratch.path, 'copy');
  await Promise.all(Array.from({ length: 5 }, () => cachedCopy(native, folder)));
  assert.deepEqual((await readdir(scratch.path)).sort(), ['copy', 'package']);
  assert.equal(await readFile(join(folder, 'native', 'lib', 'libpq.so.5'), 'utf8'), 'library');
  assert.equal((await stat(join(folder, 'native', 'bin', 'postgres'))).mode & 0o777, 0o755);
  const { ino } = await stat(folder);
  await cachedCopy(native, folder);
  assert.equal((await stat(folder)).ino, ino);
  await rm(join(folder, 'native', 'lib', 'libpq.so.5.18'));
  await cachedCopy(native, folder);
  assert.equal(await readFile(join(folder, 'native', 'lib', 'libpq.so.5'), 'utf8'), 'library');
});

test('a folder that somebody else may have put there is refused', async () => {
  await using scratch = await makeScratch();
  const native = await makePackage(join(scratch.path, 'package'));
  const folder = join(scratch.path, 'copy');
  await symlink(native, folder);
  await assert.rejects(cachedCopy(native, folder), { code: 'EMBEDDED_UNSAFE_CACHE' });
});
