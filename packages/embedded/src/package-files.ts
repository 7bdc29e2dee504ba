import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, cp, lstat, mkdir, readFile, readdir, rename, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { EmbeddedError } from './errors.js';

interface Link {
  readonly source: string;
  readonly target: string;
}

/**
 * npm packages cannot hold symlinks, so the package lists them for its install script, which npm may have refused to run.
 * Safe with several processes at once: a link is made in one step, and one that is there already is the same one.
 */
export async function restoreSymlinks(native: string): Promise<void> {
  const links = await readFile(join(native, 'pg-symlinks.json'), 'utf8').then((text) => JSON.parse(text) as readonly Link[], () => []);
  const root = dirname(native);
  await Promise.all(
    links.map(async ({ source, target }) => {
      const path = join(root, target);
      await symlink(relative(dirname(path), join(root, source)), path).catch((error: NodeJS.ErrnoException) => {
        // A read-only install is no failure here: the binaries are then tried, and copied if they do not run.
        if (!['EEXIST', 'EACCES', 'EPERM', 'EROFS'].includes(error.code ?? '')) throw error;
      });
    }),
  );
}

/** A complete copy of the package's native folder that every user of the machine can read, made once and reused. */
export async function cachedCopy(native: string, folder: string): Promise<string> {
  await refuseForeign(folder);
  if (await isComplete(native, folder)) return folder;
  const fresh = `${folder}.${randomUUID()}`;
  await mkdir(fresh, { mode: 0o755 });
  try {
    await copyReadable(native, fresh);
    await replace(fresh, folder);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  if (await isComplete(native, folder)) return folder;
  throw new EmbeddedError('EMBEDDED_UNSAFE_CACHE', `The copied PostgreSQL binaries in ${folder} are incomplete. Remove that folder and start again.`);
}

async function copyReadable(native: string, fresh: string): Promise<void> {
  await cp(native, join(fresh, 'native'), { recursive: true, filter: isNeeded, mode: constants.COPYFILE_FICLONE, verbatimSymlinks: true });
  await cp(join(dirname(native), 'package.json'), join(fresh, 'package.json'));
  for (const entry of await readdir(fresh, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isSymbolicLink()) await chmod(path, entry.isDirectory() || isExecutable(path) ? 0o755 : 0o644);
  }
  await chmod(fresh, 0o755);
  await restoreSymlinks(join(fresh, 'native'));
}

// Another process may win the race or run from the old copy: move aside only what is incomplete, and accept a winner's copy.
async function replace(fresh: string, folder: string): Promise<void> {
  const aside = `${folder}.${randomUUID()}`;
  await rename(folder, aside).catch(() => undefined);
  await rm(aside, { recursive: true, force: true });
  await rename(fresh, folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
}

// Cleaners of temporary folders remove old files one by one, so that the folder is there proves nothing.
async function isComplete(native: string, folder: string): Promise<boolean> {
  const copied = new Set(await listFiles(join(folder, 'native')));
  return copied.size > 0 && (await listFiles(native)).every((name) => copied.has(name));
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile() && isNeeded(entry.name)).map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

// Where everybody may write, somebody else could have put a server of theirs under our name.
async function refuseForeign(folder: string): Promise<void> {
  const found = await lstat(folder).catch(() => null);
  if (found === null || (found.isDirectory() && found.uid === (process.getuid?.() ?? found.uid) && (found.mode & 0o022) === 0)) return;
  throw new EmbeddedError('EMBEDDED_UNSAFE_CACHE', `${folder} was not made by this user, so the binaries in it are not trusted. Remove it, or set TMPDIR to another folder.`);
}

function isNeeded(path: string): boolean {
  return !path.endsWith('.a');
}

function isExecutable(path: string): boolean {
  return basename(dirname(path)) === 'bin' || /\.(so|dylib|dll)(\.|$)/.test(path);
}
