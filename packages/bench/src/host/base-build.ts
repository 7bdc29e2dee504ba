import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** A work tree of the same repository. */
export const baseFolder = fileURLToPath(new URL('../../../../.rowlock/perf-base', import.meta.url));

/** Checks out and builds what `perf-base` names, where that has not been done. @returns the commit */
export async function buildBase(log: (line: string) => void): Promise<string> {
  const commit = (await readFile(new URL('../../perf-base', import.meta.url), 'utf8')).trim();
  if (!/^[0-9a-f]{40}$/.test(commit))
    throw new Error(
      `packages/bench/perf-base must name a commit by its 40 digits, not ${JSON.stringify(commit)}.`,
    );
  if ((await builtCommit()) === commit) return commit;
  log(`building ${commit.slice(0, 12)} in .rowlock/perf-base`);
  const git = (...args: string[]) => run('git', args, { cwd: root });
  if (existsSync(baseFolder)) await git('worktree', 'remove', '--force', baseFolder);
  await git('worktree', 'prune');
  await git('worktree', 'add', '--detach', baseFolder, commit);
  await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: baseFolder });
  await run('npm', ['run', 'build'], { cwd: baseFolder });
  return commit;
}

async function builtCommit(): Promise<string | undefined> {
  if (!existsSync(`${baseFolder}/packages/rowlock/dist/index.js`)) return undefined;
  const { stdout } = await run('git', ['rev-parse', 'HEAD'], { cwd: baseFolder });
  return stdout.trim();
}
