import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { EmbeddedError, type EmbeddedErrorCode } from './errors.js';
import type { Command, EndSignal, Reply, Request } from './keeper-protocol.js';
import { Postmaster } from './postmaster.js';
import { spawnOptions, type Program } from './program.js';

// The keeper outlives its parent by one moment: whatever kills the parent, the channel closes, and then the server and
// the temporary folders go. It is the parent of every process it must end, so there is no instant when none knows a pid.

// A name of its own, so that `killall node` ends the parent and not the keeper.
process.title = 'rowlock-keeper';

const temporary = new Set<string>();
let running: ChildProcess | null = null;
let postmaster: Postmaster | null = null;
let endWith: EndSignal = 'SIGQUIT';
let isEnding = false;
let work: Promise<void> = Promise.resolve();

// A supervisor that signals every process of a group must not take the server from under a parent that still winds up.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

process.on('message', (request: Request) => {
  work = work.then(() => answer(request));
});

process.on('disconnect', () => {
  void end().finally(() => process.exit());
});

async function end(): Promise<void> {
  isEnding = true;
  if (running?.pid !== undefined) killTree(running.pid);
  await postmaster?.halt(endWith);
  await work;
  await postmaster?.halt(endWith);
  await Promise.all(
    [...temporary].map((folder) => rm(folder, { recursive: true, force: true, maxRetries: 5 })),
  );
}

async function answer(request: Request): Promise<void> {
  if (isEnding) return;
  try {
    send({ id: request.id, value: await obey(request) });
  } catch (error) {
    const code: EmbeddedErrorCode = error instanceof EmbeddedError ? error.code : 'EMBEDDED_START_FAILED';
    send({
      id: request.id,
      failure: { code, message: error instanceof Error ? error.message : String(error) },
    });
  }
}

function obey(command: Command): Promise<string> {
  switch (command.do) {
    case 'create':
      return create(command);
    case 'run':
      return run(command.program);
    case 'serve':
      return serve(command);
    case 'halt':
      return (postmaster?.halt(command.signal) ?? Promise.resolve()).then(() => '');
  }
}

async function create({ prefix, account }: Extract<Command, { do: 'create' }>): Promise<string> {
  const folder = await mkdtemp(prefix);
  temporary.add(folder);
  if (account !== null) await chown(folder, account.uid, account.gid);
  return folder;
}

/** PostgreSQL asks the system for the name of the user that runs it; a container may have been given a bare number. */
function remedyFor(complaint: string): string {
  return complaint.includes('could not look up effective user ID')
    ? '\nGive the user an entry in /etc/passwd, or set DATABASE_URL to a server that is running.'
    : '';
}

async function run(program: Program): Promise<string> {
  const child = spawn(program.file, program.args, {
    ...spawnOptions(program),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  running = child;
  try {
    const [complaint, [code]] = await Promise.all([
      child.stderr === null ? '' : text(child.stderr),
      once(child, 'exit') as Promise<[number | null]>,
    ]);
    if (code !== 0)
      throw new EmbeddedError(
        'EMBEDDED_INIT_FAILED',
        `${program.file} ended with ${code ?? 'a signal'}:\n${complaint.trim()}${remedyFor(complaint)}`,
      );
    return '';
  } finally {
    running = null;
  }
}

async function serve(command: Extract<Command, { do: 'serve' }>): Promise<string> {
  const started = Postmaster.spawn(command.program, command.dataDir);
  postmaster = started;
  endWith = command.endWith;
  void started.ended.then(() => send({ exited: started.pid }));
  await started.ready(command.dataDir);
  return String(started.pid);
}

function killTree(pid: number): void {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}

function send(reply: Reply): void {
  // The callback takes the error of a parent that is just gone.
  if (process.connected) process.send?.(reply, undefined, undefined, () => undefined);
}
