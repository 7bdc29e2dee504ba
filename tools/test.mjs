// Runs the compiled tests against one server: `node tools/test.mjs [--major N] [path filter…]`.
// The last line is `N passed, N failed`.
import { spawn } from 'node:child_process';
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { startTestServer } from './test-server.mjs';
import { filesBelow, packageFolders, root } from './workspace.mjs';

/** Longest time for one test file, in milliseconds: a file that leaves a handle open never ends by itself. */
const fileTimeLimit = 240_000;

function testFiles(filters) {
  const files = packageFolders().flatMap((folder) =>
    filesBelow(`${folder}/dist`, (path) => path.endsWith('.test.js')),
  );
  const wanted = filters.map((filter) =>
    filter.replace(/^\.\//, '').replace('/src/', '/dist/').replace(/\.ts$/, '.js'),
  );
  return files.filter(
    (file) => wanted.length === 0 || wanted.some((filter) => relative(root, file).includes(filter)),
  );
}

/** Shows what the runner prints and reads its summary (`ℹ pass 12`). */
async function runTests(files, environment) {
  const flags = [
    '--enable-source-maps',
    '--test',
    '--test-concurrency=2',
    '--test-reporter=spec',
    `--test-timeout=${fileTimeLimit}`,
  ];
  const runner = spawn(process.execPath, [...flags, ...files], {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = (signal) => runner.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop);
  let tail = '';
  runner.stdout.setEncoding('utf8');
  runner.stdout.on('data', (text) => {
    process.stdout.write(text);
    tail = (tail + text).slice(-100_000);
  });
  const code = await new Promise((resolve) => runner.once('close', resolve));
  return { code, counts: readCounts(tail) };
}

function readCounts(output) {
  const counts = { pass: 0, fail: 0, cancelled: 0, skipped: 0, todo: 0 };
  const plain = output.replaceAll(new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g'), '');
  for (const [, name, count] of plain.matchAll(/^(?:ℹ|#) (pass|fail|cancelled|skipped|todo) (\d+)$/gm))
    counts[name] = Number(count);
  return counts;
}

async function main() {
  const { values, positionals } = parseArgs({
    options: { major: { type: 'string' } },
    allowPositionals: true,
  });
  const files = testFiles(positionals);
  if (files.length === 0)
    throw new Error(`no test file matches ${positionals.join(' ') || 'anything'}; is the build done?`);
  const server = await startTestServer(values.major === undefined ? undefined : Number(values.major));
  try {
    const { code, counts } = await runTests(files, server.environment);
    const failed =
      counts.fail + counts.cancelled + (code !== 0 && counts.fail + counts.cancelled === 0 ? 1 : 0);
    if (code !== 0 || failed > 0 || counts.pass === 0) process.exitCode = 1;
    return { passed: counts.pass, failed };
  } finally {
    await server.stop();
  }
}

const { passed, failed } = await main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
  return { passed: 0, failed: 1 };
});
console.log(`${passed} passed, ${failed} failed`);
