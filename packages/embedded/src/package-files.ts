import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, cp, lstat, mkdir, readFile, readdir, rename, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { EmbeddedError, systemCode } from './errors.js';

interface Link {
  readonly source: string;
  readonly target: string;
}

/**
 * npm packages cannot hold symlinks, so the package lists them for its install script, which npm may have refused to run.
 * Safe with several processes at once: a link is made in one step, and one that is there already is the same one.
 */
export async function restoreSymlinks(native: string): Promise<void> {
  const links = await readFile(join(native, 'pg-symlinks.json'), 'utf8').then(
    (text) => JSON.parse(text) as readonly Link[],
    () => [],
  );
  const root = dirname(native);
  await Promise.all(
    links.map(async ({ source, target }) => {
      const path = join(root, target);
      await symlink(relative(dirname(path), join(root, source)), path).catch((error: unknown) => {
        // A read-only install is no failure here: the binaries are then tried, and copied if they do not run.
        if (!['EEXIST', 'EACCES', 'EPERM', 'EROFS'].includes(systemCode(error))) throw error;
      });
    }),
  );
}

/** A complete copy of the package's native folder that every user of the machine can read, made once and reused. */
export async function cachedCopy(native: string, folder: string): Promise<string> {
  await refuseForeign(folder);
  if (!(await isComplete(native, folder))) await copyTo(native, folder);
  if (await isComplete(native, folder)) {
    await restoreSymlinks(join(folder, 'native'));
    return folder;
  }
  throw new EmbeddedError(
    'EMBEDDED_UNSAFE_CACHE',
    `The copied PostgreSQL binaries in ${folder} are incomplete. Remove that folder and start again.`,
  );
}

async function copyTo(native: string, folder: string): Promise<void> {
  const fresh = `${folder}.${randomUUID()}`;
  await mkdir(fresh, { mode: 0o755 });
  try {
    await copyReadable(native, fresh);
    await adopt(fresh, folder);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

async function copyReadable(native: string, fresh: string): Promise<void> {
  await cp(native, join(fresh, 'native'), {
    recursive: true,
    filter: isNeeded,
    mode: constants.COPYFILE_FICLONE,
    verbatimSymlinks: true,
  });
  await cp(join(dirname(native), 'package.json'), join(fresh, 'package.json'));
  for (const entry of await readdir(fresh, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isSymbolicLink()) await chmod(path, entry.isDirectory() || isExecutable(path) ? 0o755 : 0o644);
  }
  await chmod(fresh, 0o755);
  await restoreSymlinks(join(fresh, 'native'));
}

// Another process may have won the race, or run from an old copy that has lost files: then only those are put back.
async function adopt(fresh: string, folder: string): Promise<void> {
  const isMoved = await rename(fresh, folder).then(
    () => true,
    (error: unknown) => {
      if (!['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(systemCode(error))) throw error;
      return false;
    },
  );
  if (isMoved) return;
  const present = new Set(await listFiles(folder));
  for (const name of (await listFiles(fresh)).filter((file) => !present.has(file))) {
    await mkdir(dirname(join(folder, name)), { recursive: true, mode: 0o755 });
    await rename(join(fresh, name), join(folder, name));
  }
}

// Cleaners of temporary folders remove old files one by one, so that the folder is there proves nothing.
async function isComplete(native: string, folder: string): Promise<boolean> {
  const copied = new Set(await listFiles(join(folder, 'native')));
  return copied.size > 0 && (await listFiles(native)).every((name) => copied.has(name));
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && isNeeded(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

// Where everybody may write, somebody else could have put a server of theirs under our name.
async function refuseForeign(folder: string): Promise<void> {
  const found = await lstat(folder).catch(() => null);
  if (
    found === null ||
    (found.isDirectory() && found.uid === (process.getuid?.() ?? found.uid) && (found.mode & 0o022) === 0)
  )
    return;
  throw new EmbeddedError(
    'EMBEDDED_UNSAFE_CACHE',
    `${folder} was not made by this user, so the binaries in it are not trusted. Remove it, or set TMPDIR to another folder.`,
  );
}

function isNeeded(path: string): boolean {
  return !path.endsWith('.a');
}

function isExecutable(path: string): boolean {
  return basename(dirname(path)) === 'bin' || /\.(so|dylib|dll)(\.|$)/.test(path);
}
