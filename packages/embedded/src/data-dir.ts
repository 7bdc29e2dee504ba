import { randomBytes } from 'node:crypto';
import { appendFile, chown, mkdir, readFile, readdir, rename, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { canReach, type Account } from './account.js';
import { executable, type Binaries } from './binaries.js';
import { EmbeddedError, systemCode } from './errors.js';
import type { Keeper } from './keeper.js';

export interface DataDir {
  readonly path: string;
  /** Null where loopback is trusted: in temporary servers. */
  readonly password: string | null;
}

interface Making {
  readonly keeper: Keeper;
  readonly binaries: Binaries;
  readonly account: Account | null;
}

const defaults: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '128MB',
  lc_messages: 'C',
};

/** The major version of the cluster in a kept folder, or null when there is none yet. */
export async function majorOf(path: string): Promise<number | null> {
  const version = await readFile(join(path, 'PG_VERSION'), 'utf8').catch(() => null);
  if (version !== null) return Number.parseInt(version);
  if ((await readdir(path).catch(() => [])).length === 0) return null;
  throw foreign(path);
}

/** A cluster below `base`, removed by the keeper. */
export async function makeTemporary(base: string, making: Making): Promise<DataDir> {
  const folder = await making.keeper.ask({
    do: 'create',
    prefix: join(base, 'rowlock-pg-'),
    account: making.account,
  });
  const path = join(folder, 'data');
  await initialise(path, { ...making, auth: ['--auth=trust'] });
  return { path, password: null };
}

/** The cluster in a kept folder, made there first if need be. */
export async function openKept(path: string, making: Making): Promise<DataDir> {
  if (!(await canReach(dirname(path), making.account))) {
    throw new EmbeddedError(
      'EMBEDDED_UNREACHABLE',
      `PostgreSQL refuses root, so it runs as ${making.account?.name ?? ''}, who may not enter ${dirname(path)}. ` +
        'Choose a dataDir outside private folders (such as /var/lib/rowlock), or run as a normal user.',
    );
  }
  if ((await majorOf(path)) === null) await makeKept(path, making);
  const secret = await readFile(passwordPath(path), 'utf8').catch(() => null);
  if (secret === null) throw foreign(path);
  return { path, password: secret.trim() };
}

// Made beside its place and moved there when complete: a kill meanwhile leaves no half cluster, and of two makers one wins.
async function makeKept(path: string, making: Making): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const folder = await making.keeper.ask({ do: 'create', prefix: `${path}.new-`, account: making.account });
  const made = join(folder, 'data');
  const secret = join(folder, 'password');
  const password = randomBytes(24).toString('base64url');
  await writeFile(secret, `${password}\n`, { mode: 0o600 });
  if (making.account !== null) await chown(secret, making.account.uid, making.account.gid);
  await initialise(made, { ...making, auth: ['--auth=scram-sha-256', `--pwfile=${secret}`] });
  await writeFile(passwordPath(made), `${password}\n`, { mode: 0o600 });
  await rmdir(path).catch(() => undefined);
  await rename(made, path).catch((error: unknown) => {
    if (!['ENOTEMPTY', 'EEXIST'].includes(systemCode(error))) throw error;
  });
}

async function initialise(
  path: string,
  { keeper, binaries, account, auth }: Making & { auth: readonly string[] },
): Promise<void> {
  const args = [
    '-D',
    path,
    '--username=postgres',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
    '--no-instructions',
    ...auth,
  ];
  await keeper.ask({ do: 'run', program: { file: executable(binaries.bin, 'initdb'), args, account } });
  await appendFile(join(path, 'postgresql.conf'), "\ninclude 'rowlock.conf'\n");
}

/** Written before every start, in a file of its own: ALTER SYSTEM and later lines of postgresql.conf still win. */
export async function writeSettings(path: string, settings: Readonly<Record<string, string>>): Promise<void> {
  const lines = Object.entries({ ...defaults, ...settings }).map(
    ([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`,
  );
  await writeFile(join(path, 'rowlock.conf'), lines.join(''), { mode: 0o644 });
}

function passwordPath(path: string): string {
  return join(path, 'rowlock.password');
}

function foreign(path: string): EmbeddedError {
  return new EmbeddedError(
    'EMBEDDED_DATA_DIR_FOREIGN',
    `${path} holds something that startServer did not make. Choose an empty or new dataDir.`,
  );
}
