import assert from 'node:assert/strict';
import { chmod, cp, lstat, mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chooseAccount } from './account.js';
import { findBinaries } from './binaries.js';
import { startServer } from './start-server.js';
import { Holder } from './testing/holder.js';
import { copyWithoutSymlinks, installedNative, linkTargets } from './testing/installed-package.js';
import { query } from './testing/query.js';
import { makeScratch } from './testing/scratch.js';

const dist = dirname(fileURLToPath(import.meta.url));

test('no binaries: one error that says what to do', async () => {
  await using scratch = await makeScratch();
  const started = startServer({ ignoreDatabaseUrl: true, binDir: scratch.path });
  await assert.rejects(started, {
    code: 'EMBEDDED_NO_BINARIES',
    message: /DATABASE_URL[\s\S]*npm ci[\s\S]*binDir/,
  });
});

test('the npm package comes before local binaries, which stand in for it', async () => {
  const native = await installedNative();
  const wanted = { major: undefined, account: await chooseAccount() };
  const local = [join(native, 'bin')];
  assert.equal((await findBinaries({ packages: [native], local }, wanted)).source, 'package');
  assert.equal((await findBinaries({ packages: [join(native, 'absent')], local }, wanted)).source, 'local');
  const other = findBinaries({ packages: [native], local }, { ...wanted, major: 9 });
  await assert.rejects(other, { code: 'EMBEDDED_NO_BINARIES', message: /is PostgreSQL \d+/ });
});

test('works where npm refused the install script', async () => {
  await using scratch = await makeScratch();
  const native = await copyWithoutSymlinks(scratch.path);
  const options = { ignoreDatabaseUrl: true, binDir: join(native, 'bin') };
  for (const server of await Promise.all([startServer(options), startServer(options)])) {
    assert.equal((await query(server.url, 'select')).length, 1);
    await server.stop();
  }
  for (const target of await linkTargets(native))
    assert.ok((await lstat(join(dirname(native), target))).isSymbolicLink());
});

test('works from a private home as root, and from a read-only install as a normal user', async () => {
  await using scratch = await makeScratch();
  const home = join(scratch.path, 'home');
  const temporary = join(scratch.path, 'tmp');
  await mkdir(temporary);
  await chmod(temporary, 0o1777);
  const native = await copyWithoutSymlinks(home);
  await chmod(join(native, 'lib'), 0o555);
  await chmod(home, 0o700);
  const options = { ignoreDatabaseUrl: true, binDir: join(native, 'bin') };
  const holders = [1, 2].map(() => new Holder({ dist, options, temporary }));
  for (const { url } of await Promise.all(holders.map((holder) => holder.held()))) {
    assert.equal((await query(url, 'select')).length, 1);
  }
  for (const holder of holders) assert.equal(await holder.stop(), 0);
  const left = await readdir(temporary);
  assert.equal(left.length, 1);
  assert.match(left[0] ?? '', /^rowlock-postgres-\d+-/);
  await chmod(join(native, 'lib'), 0o755);
});

test('runs as a normal user', async () => {
  await using scratch = await makeScratch();
  const app = join(scratch.path, 'app');
  const temporary = join(scratch.path, 'tmp');
  await cp(dist, join(app, 'dist'), { recursive: true });
  await cp(join(dist, '..', 'package.json'), join(app, 'package.json'));
  await mkdir(temporary);
  await chmod(temporary, 0o1777);
  const account = await chooseAccount();
  const options = { ignoreDatabaseUrl: true, binDir: join(await installedNative(), 'bin') };
  const holder = new Holder({
    dist: join(app, 'dist'),
    options,
    temporary,
    ...(account === null ? {} : { account }),
  });
  const { url, uid } = await holder.held();
  assert.notEqual(uid, 0);
  assert.equal((await query(url, 'select')).length, 1);
  assert.equal(await holder.stop(), 0);
  assert.deepEqual(await readdir(temporary), []);
});
