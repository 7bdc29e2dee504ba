import { resolve } from 'node:path';
import { chooseAccount } from './account.js';
import { explicitPlace, findBinaries, usualPlaces } from './binaries.js';
import { checkOptions } from './check-options.js';
import { majorOf, makeTemporary, openKept, writeSettings } from './data-dir.js';
import { EmbeddedError } from './errors.js';
import { GivenServer } from './given-server.js';
import { Keeper } from './keeper.js';
import type { EmbeddedServer, ServerOptions } from './options.js';
import { OwnServer } from './own-server.js';
import { temporaryBase } from './temporary.js';

/**
 * A real PostgreSQL: the one DATABASE_URL names, else one started here from the npm package, else from binaries of this machine.
 * It ends with this process at the latest, however this process ends.
 */
export async function startServer(options: ServerOptions = {}): Promise<EmbeddedServer> {
  checkOptions(options);
  const given = options.ignoreDatabaseUrl === true ? '' : (process.env['DATABASE_URL'] ?? '');
  return given === '' ? startOwn(options) : GivenServer.connect(given, options.major);
}

async function startOwn(options: ServerOptions): Promise<EmbeddedServer> {
  const dataDir = options.dataDir === undefined ? undefined : resolve(options.dataDir);
  const account = await chooseAccount(dataDir);
  const binaries = await findFor(options, { dataDir, account });
  let server: OwnServer | null = null;
  const keeper = new Keeper((pid) => server?.noteExit(pid));
  try {
    const making = { keeper, binaries, account };
    const data =
      dataDir === undefined
        ? await makeTemporary(await temporaryBase(account), making)
        : await openKept(dataDir, making);
    await writeSettings(data.path, options.settings ?? {});
    server = new OwnServer({ ...making, data, isTemporary: dataDir === undefined });
    await server.start(options.port);
    return server;
  } catch (error) {
    await keeper.close();
    throw error;
  }
}

interface For {
  readonly dataDir: string | undefined;
  readonly account: Awaited<ReturnType<typeof chooseAccount>>;
}

async function findFor(options: ServerOptions, { dataDir, account }: For): ReturnType<typeof findBinaries> {
  const existing = dataDir === undefined ? null : await majorOf(dataDir);
  if (existing !== null && options.major !== undefined && existing !== options.major) {
    throw new EmbeddedError(
      'EMBEDDED_WRONG_MAJOR',
      `${dataDir ?? ''} was made by PostgreSQL ${existing}, but ${options.major} was asked for.`,
    );
  }
  const major = options.major ?? existing ?? undefined;
  const binDir = options.binDir ?? process.env['ROWLOCK_PG_BINARIES'];
  return findBinaries(binDir ? explicitPlace(binDir) : await usualPlaces(major), { major, account });
}
