import assert from 'node:assert/strict';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { canReach, chooseAccount, mapped, readAccounts } from './account.js';
import { makeScratch } from './testing/scratch.js';

test('reads names and ids from passwd', () => {
  const accounts = readAccounts(
    'root:x:0:0:root:/root:/bin/sh\n\nnobody:x:65534:65533::/:/bin/false\nbroken\n',
  );
  assert.deepEqual(accounts, [
    { name: 'root', uid: 0, gid: 0 },
    { name: 'nobody', uid: 65534, gid: 65533 },
  ]);
});

test('knows which ids a user namespace has', () => {
  const one = mapped('         0       1000          1\n');
  assert.equal(one(0), true);
  assert.equal(one(65534), false);
  assert.equal(mapped('0 0 4294967295')(65534), true);
  assert.equal(mapped('')(65534), true);
});

test('becomes another user as root only', async () => {
  const account = await chooseAccount();
  if (process.getuid?.() === 0) assert.ok(account !== null && account.uid > 0);
  else assert.equal(account, null);
});

test('a private folder on the way is out of reach', async () => {
  await using scratch = await makeScratch();
  const home = join(scratch.path, 'home');
  await mkdir(join(home, 'data'), { recursive: true });
  const stranger = { name: 'stranger', uid: 4_000_001, gid: 4_000_001 };
  assert.equal(await canReach(join(home, 'data'), stranger), true);
  await chmod(home, 0o700);
  assert.equal(await canReach(join(home, 'data'), stranger), false);
  assert.equal(await canReach(join(home, 'data'), null), true);
});
