// Everything that CI checks beside the tests. Every step runs, so that one look shows all that is wrong.
import { spawnSync } from 'node:child_process';
import { root } from './workspace.mjs';

// `generate:check` stands before the build, which would write what it looks for.
const steps = ['generate:check', 'build', 'lint', 'format:check', 'layers', 'house', 'docs', 'schema:check'];

const failed = steps.filter((name) => {
  console.log(`-- ${name}`);
  const started = performance.now();
  const { status } = spawnSync('npm', ['run', '--silent', name], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  console.log(`${status === 0 ? 'ok' : 'FAILED'} in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return status !== 0;
});
console.log(failed.length === 0 ? 'check: all in order' : `check: FAILED ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
