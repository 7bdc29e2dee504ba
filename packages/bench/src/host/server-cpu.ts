import { execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';

/** What `/proc/PID/stat` says of a process; times in clock ticks. */
export interface ProcessTimes {
  readonly pid: number;
  readonly parent: number;
  /** User and system time of its own. */
  readonly own: number;
  /** That of its children that have ended. */
  readonly ofEnded: number;
}

/** The name, in parentheses, may hold anything, spaces and parentheses too. */
export function parseStat(text: string): ProcessTimes {
  const pid = Number.parseInt(text);
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const field = (number: number): number => fields[number - 3] ?? NaN;
  return { pid, parent: field(4), own: field(14) + field(15), ofEnded: field(16) + field(17) };
}

/** CPU time of the server, in clock ticks: the postmaster, its children, and those that have ended. */
export function sumTicks(processes: readonly ProcessTimes[], postmaster: number): number {
  let ticks = 0;
  for (const { pid, parent, own, ofEnded } of processes) {
    if (pid === postmaster) ticks += own + ofEnded;
    else if (parent === postmaster) ticks += own;
  }
  return ticks;
}

/** CPU time of the whole server so far, in microseconds; NaN where there is no /proc. */
export async function serverCpu(postmaster: number | null): Promise<number> {
  if (postmaster === null || process.platform !== 'linux') return NaN;
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const texts = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  const processes = texts.filter((text) => text !== '').map(parseStat);
  return (sumTicks(processes, postmaster) / ticksPerSecond()) * 1_000_000;
}

let known: number | undefined;

function ticksPerSecond(): number {
  known ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
  return known;
}
