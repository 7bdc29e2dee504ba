import { readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { EmbeddedError } from './errors.js';

/** The unprivileged user the server runs as, because PostgreSQL refuses root. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

const preferred = ['nobody', 'postgres'];

/** Null when we are a normal user (or on Windows): the server then simply runs as ourselves. */
export async function chooseAccount(dataDir?: string): Promise<Account | null> {
  if (process.getuid?.() !== 0) return null;
  const accounts = readAccounts(await readFile('/etc/passwd', 'utf8').catch(() => ''));
  const owner =
    dataDir === undefined
      ? 0
      : await stat(dataDir).then(
          (found) => found.uid,
          () => 0,
        );
  const isMapped = await readMapping();
  const fitting = accounts.filter(({ uid, gid }) => uid > 0 && isMapped.uid(uid) && isMapped.gid(gid));
  const chosen =
    fitting.find(({ uid }) => uid === owner) ??
    preferred
      .map((name) => fitting.find((account) => account.name === name))
      .find((account) => account !== undefined) ??
    fitting[0];
  if (chosen !== undefined) return chosen;
  throw new EmbeddedError(
    'EMBEDDED_NO_ACCOUNT',
    'PostgreSQL refuses to run as root, and /etc/passwd names no other user this process may become. ' +
      'Run as a normal user, add one (useradd postgres), or set DATABASE_URL to a running server.',
  );
}

export function readAccounts(passwd: string): Account[] {
  return passwd.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':');
    return name && uid && gid ? [{ name, uid: Number(uid), gid: Number(gid) }] : [];
  });
}

// In a container with user namespaces most ids do not exist: becoming one of them fails with EINVAL.
async function readMapping(): Promise<{ uid: (id: number) => boolean; gid: (id: number) => boolean }> {
  const [uid, gid] = await Promise.all(
    ['uid_map', 'gid_map'].map((name) => readFile(`/proc/self/${name}`, 'utf8').catch(() => '')),
  );
  return { uid: mapped(uid ?? ''), gid: mapped(gid ?? '') };
}

export function mapped(map: string): (id: number) => boolean {
  const ranges = map
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  if (map.trim() === '') return () => true;
  return (id) => ranges.some(([first = 0, , count = 0]) => id >= first && id < first + count);
}

/** Whether every folder from the root down to `path` (those that exist) may be entered by the account. */
export async function canReach(path: string, account: Account | null): Promise<boolean> {
  if (account === null) return true;
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    const found = await stat(folder).catch(() => null);
    if (found?.isDirectory() === true) {
      const shift = found.uid === account.uid ? 6 : found.gid === account.gid ? 3 : 0;
      if (((found.mode >> shift) & 1) === 0) return false;
    }
    if (folder === dirname(folder)) return true;
  }
}
