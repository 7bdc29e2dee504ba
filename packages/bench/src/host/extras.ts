import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../extras/', import.meta.url));

/** What the peers ask for: graphile-worker 22.18, pg-boss 22.12. */
const neededNode = [22, 18] as const;

/** Installs the peers and what draws plots, as the lock file says, where that has not been done. */
export async function installExtras(log: (line: string) => void): Promise<void> {
  if (existsSync(`${folder}node_modules/.package-lock.json`)) return;
  log('installing the peers and what draws plots');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const code = await exitOf(npm, ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], folder);
  if (code !== 0) throw new Error(`they could not be installed: npm ci in ${folder} ended with ${code}`);
}

/** Whether the peers run on the Node that runs this. */
export function nodeSuitsPeers(version = process.versions.node): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > neededNode[0] || (major === neededNode[0] && minor >= neededNode[1]);
}

/** Runs this program again on the Node that was installed with the peers. @returns its exit code */
export async function runOnPeersNode(program: string, args: readonly string[]): Promise<number> {
  const node = `${folder}node_modules/node24-${process.platform}-${process.arch}/bin/node`;
  if (!existsSync(node))
    throw new Error(
      `the peers need Node ${neededNode.join('.')} or later; this is ${process.version}, and for ${process.platform}-${process.arch} none comes with them: run the bench on a newer Node`,
    );
  return exitOf(node, [program, ...args]);
}

async function exitOf(file: string, args: readonly string[], cwd?: string): Promise<number> {
  const child = spawn(file, args, { stdio: 'inherit', ...(cwd === undefined ? {} : { cwd }) });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}
