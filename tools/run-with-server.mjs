// Runs one compiled program against a server of its own, as the tests are run.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { startTestServer } from './test-server.mjs';
import { root } from './workspace.mjs';

/** @returns its exit code */
export async function runWithServer(program, args) {
  const server = await startTestServer();
  try {
    const child = spawn(process.execPath, ['--enable-source-maps', join(root, program), ...args], {
      env: { ...process.env, ...server.environment },
      stdio: 'inherit',
    });
    const stop = (signal) => child.kill(signal);
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop);
    return await new Promise((resolve) => child.once('close', (code) => resolve(code ?? 1)));
  } finally {
    await server.stop();
  }
}
