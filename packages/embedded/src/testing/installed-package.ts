import { cp, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { chooseAccount } from '../account.js';
import { findBinaries, usualPlaces } from '../binaries.js';

/** The `native` folder of the npm package that this machine runs, reachable for the account servers run as. */
export async function installedNative(): Promise<string> {
  const { packages } = await usualPlaces(undefined);
  const { bin } = await findBinaries(
    { packages, local: [] },
    { major: undefined, account: await chooseAccount() },
  );
  return dirname(bin);
}

/** The package as npm leaves it when it refuses install scripts: without its symlinks. */
export async function copyWithoutSymlinks(folder: string): Promise<string> {
  const native = await installedNative();
  await cp(native, join(folder, 'native'), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !path.endsWith('.a'),
  });
  await cp(join(dirname(native), 'package.json'), join(folder, 'package.json'));
  for (const target of await linkTargets(native)) await rm(join(folder, target), { force: true });
  return join(folder, 'native');
}

export async function linkTargets(native: string): Promise<string[]> {
  const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as { target: string }[];
  return links.map(({ target }) => target);
}
