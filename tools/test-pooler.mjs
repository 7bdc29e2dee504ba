// Runs the tests behind a transaction pooler: `node tools/test-pooler.mjs`. Needs pgbouncer (Debian: apt-get install pgbouncer).
// The last line is `N passed, N failed`.
import { spawnSync } from 'node:child_process';
import { startTestServer } from './test-server.mjs';
import { filesBelow, packageFolders, root } from './workspace.mjs';

const fileTimeLimit = 240_000;

function requirePgbouncer() {
  const { error } = spawnSync('pgbouncer', ['--version']);
  if (error !== undefined)
    throw new Error('pgbouncer is not on the PATH: install it (Debian: apt-get install pgbouncer)');
}

function poolerTests() {
  const files = packageFolders().flatMap((folder) =>
    filesBelow(`${folder}/dist`, (path) => path.endsWith('.test.pooler.js')),
  );
  if (files.length === 0) throw new Error('there are no pooler tests in dist: build first');
  return files;
}

function countOf(output, name) {
  return Number(new RegExp(`^(?:ℹ|#) ${name} (\\d+)$`, 'm').exec(output)?.[1] ?? 0);
}

async function main() {
  requirePgbouncer();
  const files = poolerTests();
  const server = await startTestServer();
  try {
    const flags = [
      '--enable-source-maps',
      '--test',
      '--test-reporter=spec',
      `--test-timeout=${fileTimeLimit}`,
    ];
    const run = spawnSync(process.execPath, [...flags, ...files], {
      cwd: root,
      env: { ...process.env, ...server.environment },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    process.stdout.write(run.stdout);
    const failed = countOf(run.stdout, 'fail') + countOf(run.stdout, 'cancelled');
    return { passed: countOf(run.stdout, 'pass'), failed: run.status === 0 ? failed : Math.max(failed, 1) };
  } finally {
    await server.stop();
  }
}

const { passed, failed } = await main().catch((error) => {
  console.error(error);
  return { passed: 0, failed: 1 };
});
if (failed > 0 || passed === 0) process.exitCode = 1;
console.log(`${passed} passed, ${failed} failed`);
