// The long lane: `npm run ci:full [-- step…]`, each step by its name. A full run writes docs/results/ci-full.md.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, release, type } from 'node:os';
import { join } from 'node:path';
import { root } from './workspace.mjs';

const npm = (...args) => ({ file: 'npm', args });
const script = (name, ...args) => npm('run', name, ...(args.length > 0 ? ['--', ...args] : []));
const platform = `${process.platform}-${process.arch}`;
const installed = (folder) => ({ ...npm('ci'), cwd: join(root, 'compat', folder) });

function postgresStep(major) {
  const test = { file: process.execPath, args: ['tools/test.mjs', '--major', String(major)] };
  return { name: `postgres-${major}`, commands: [installed('postgres'), script('build'), test] };
}

function nodeStep(major) {
  const node = join('compat/node/node_modules', `node${major}-${platform}`, 'bin/node');
  return {
    name: `node-${major}`,
    commands: [installed('node'), script('build'), { file: node, args: ['tools/test.mjs'] }],
  };
}

function benchStep(lane) {
  return { name: `bench-${lane}`, commands: [script('bench', lane, '--quick')] };
}

const steps = [
  { name: 'check', commands: [script('check')] },
  { name: 'test', commands: [npm('test')] },
  { name: 'pooler', commands: [script('test:pooler')] },
  { name: 'demo', commands: [script('demo')] },
  ...[14, 15, 16, 17].map(postgresStep),
  ...[22, 24, 26].map(nodeStep),
  { name: 'chaos', commands: [script('chaos', '--quick')] },
  { name: 'faults', commands: [script('faults')] },
  { name: 'model', commands: [script('model')] },
  { name: 'plans', commands: [script('plans')] },
  ...['drain', 'enqueue', 'latency', 'xmin'].map(benchStep),
];

/** Runs one command, showing its output. @returns its exit code and the last line it printed */
function run({ file, args, cwd = root }) {
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      cwd,
      stdio: ['ignore', 'pipe', 'inherit'],
      shell: process.platform === 'win32',
    });
    let tail = '';
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (text) => {
      process.stdout.write(text);
      tail = (tail + text).slice(-4000);
    });
    child.once('error', (error) => resolve({ code: 1, lastLine: error.message }));
    child.once('close', (code) =>
      resolve({ code: code ?? 1, lastLine: tail.trimEnd().split('\n').at(-1) ?? '' }),
    );
  });
}

async function runStep({ name, commands }) {
  console.log(`\n== ${name}`);
  const started = performance.now();
  let result = { code: 0, lastLine: '' };
  for (const command of commands) {
    result = await run(command);
    if (result.code !== 0) break;
  }
  const seconds = Math.round((performance.now() - started) / 1000);
  return { name, seconds, passed: result.code === 0, lastLine: result.lastLine };
}

function commit() {
  return execFileSync('git', ['describe', '--always', '--dirty', '--abbrev=12'], {
    cwd: root,
    encoding: 'utf8',
  }).trim();
}

function summary(results) {
  const rows = results.map(
    ({ name, passed, seconds, lastLine }) =>
      `| ${name} | ${passed ? 'passed' : 'FAILED'} | ${seconds} s | ${lastLine.replaceAll('|', '\\|')} |`,
  );
  const total = results.reduce((sum, { seconds }) => sum + seconds, 0);
  return [
    '# The full lane',
    '',
    `\`npm run ci:full\` of ${commit()} on Node ${process.version}, ${type()} ${release()}, ${availableParallelism()} cores; ${Math.ceil(total / 60)} minutes in all.`,
    '',
    '| step | result | time | last line |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !steps.some((step) => step.name === name));
if (unknown.length > 0) {
  console.error(`no step ${unknown.join(', ')}; there are ${steps.map((step) => step.name).join(', ')}`);
  process.exit(2);
}
const results = [];
for (const step of steps) {
  if (wanted.length === 0 || wanted.includes(step.name)) results.push(await runStep(step));
}
const text = summary(results);
if (wanted.length === 0) {
  mkdirSync(join(root, 'docs/results'), { recursive: true });
  writeFileSync(join(root, 'docs/results/ci-full.md'), text);
}
console.log(`\n${text}`);
const failed = results.filter((result) => !result.passed);
console.log(`${results.length - failed.length} passed, ${failed.length} failed`);
process.exitCode = failed.length === 0 ? 0 : 1;
