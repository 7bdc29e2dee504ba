// Plants each fault in a copy of the library and runs the tests that must notice: `npm run faults [-- word…]`.
// Ends with `survivors N`; fails when N > 0, a patch does not apply, or the copy without a fault fails.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { startTestServer } from '../test-server.mjs';
import { faultyCopy } from './copy.mjs';
import { faults } from './planted.mjs';

const AT_ONCE = 2;
const fileTimeLimit = 90_000;

async function admin(url, text) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

/** A template as the faulty migrations make it. */
async function createTemplate(folder, { url, name }) {
  const { Rowlock } = await import(pathToFileURL(join(folder, 'dist/index.js')).href);
  await admin(url, `create database ${name} template template0`);
  const target = new URL(url);
  target.pathname = `/${name}`;
  const rowlock = new Rowlock({ connectionString: target.href });
  try {
    await rowlock.migrate();
  } finally {
    await rowlock.close();
  }
}

function runTests(folder, { tests, environment }) {
  const flags = ['--test', '--test-concurrency=1', '--test-reporter=tap', `--test-timeout=${fileTimeLimit}`];
  const files = tests.map((test) => join(folder, 'dist', test));
  const runner = spawn(process.execPath, [...flags, ...files], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  runner.stdout.setEncoding('utf8');
  runner.stdout.on('data', (text) => (output += text));
  return new Promise((resolve) => {
    runner.once('error', (error) => resolve({ passed: false, output: error.message }));
    runner.once('close', (code) => resolve({ passed: code === 0, output }));
  });
}

/** What the first failing test said. */
function complaint(output) {
  const [, quoted, block] = /^\s+error: (?:'(.*)'|\|-\n\s+(.*))$/m.exec(output) ?? [];
  return (quoted ?? block ?? 'no word of it').slice(0, 110);
}

async function examine({ patches, tests }, { server, name }) {
  const { folder, remove } = faultyCopy(patches);
  const { ROWLOCK_TEST_URL: url } = server.environment;
  try {
    await createTemplate(folder, { url, name });
    const environment = { ROWLOCK_TEST_URL: url, ROWLOCK_TEST_TEMPLATE: name };
    return await runTests(folder, { tests, environment });
  } finally {
    await admin(url, `drop database if exists ${name} with (force)`);
    remove();
  }
}

async function plant(fault, place) {
  const started = performance.now();
  const verdict = await examine(fault, place).then(
    ({ passed, output }) =>
      passed ? { state: 'SURVIVED', said: '' } : { state: 'caught', said: complaint(output) },
    (error) => ({ state: 'BROKEN', said: error.message }),
  );
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const by = fault.tests.join(', ');
  console.log(
    `${verdict.state.padEnd(8)} ${seconds.padStart(5)} s  ${fault.name}\n${''.padEnd(18)}${by}: ${verdict.said}`,
  );
  return verdict.state;
}

/** Without a fault every one of the tests must pass, or catching one proves nothing. */
async function checkUnpatched(chosen, server) {
  const tests = [...new Set(chosen.flatMap((fault) => fault.tests))];
  const { passed, output } = await examine(
    { patches: [], tests },
    { server, name: `rowlock_unpatched_${process.pid}` },
  );
  console.log(
    passed ? 'the copy without a fault passes\n' : `the copy without a fault FAILS: ${complaint(output)}\n`,
  );
  return passed;
}

async function main(words) {
  const chosen = faults.filter(({ name }) => words.every((word) => name.includes(word)));
  const server = await startTestServer();
  try {
    const soundPasses = await checkUnpatched(chosen, server);
    const waiting = [...chosen.entries()];
    const states = [];
    const work = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [n, fault] = next;
        states.push(await plant(fault, { server, name: `rowlock_fault_${process.pid}_${n}` }));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    const count = (state) => states.filter((other) => other === state).length;
    console.log(`\n${states.length} faults: ${count('caught')} caught, ${count('BROKEN')} not planted`);
    console.log(`survivors ${count('SURVIVED')}`);
    return soundPasses && states.length > 0 && count('caught') === states.length;
  } finally {
    await server.stop();
  }
}

process.exitCode = (await main(process.argv.slice(2))) ? 0 : 1;
