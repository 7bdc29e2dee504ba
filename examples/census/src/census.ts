import { startServer } from '@rowlock/embedded';
import type { EmbeddedServer } from '@rowlock/embedded';
import { Rowlock } from 'rowlock';
import { countFile } from './count-file.js';
import { Crew } from './crew.js';
import { leaseSeconds, usualLeaseSeconds } from './lease.js';
import { Ledger } from './ledger.js';
import { listFiles } from './list-files.js';
import { recount } from './recount.js';
import type { Screen } from './screen/screen.js';
import { judge } from './verdict.js';
import type { Verdict } from './verdict.js';
import { watchUntilDone } from './watch.js';
import { counted, grouped, printable, seconds } from './wording.js';

export interface CensusOptions {
  readonly folder: string;
  /** Worker processes, at least 2: one of them is killed at work. */
  readonly workers: number;
  readonly screen: Screen;
  /** Ends the census early. Nothing is left behind, as after any end. */
  readonly signal: AbortSignal;
}

interface Run extends CensusOptions {
  /** Says what has just been done, with the time it was done at. */
  readonly say: (text: string) => void;
  readonly files: readonly string[];
}

/** The victim is killed once this share of the jobs has ended. */
const killAfter = 0.3;

/** Counts every file below a folder, each by a job; kills a worker on the way; and judges what came of it. */
export async function takeCensus(options: CensusOptions): Promise<Verdict> {
  const startedAt = Date.now();
  const say = (text: string): void =>
    options.screen.say(`${seconds(Date.now() - startedAt).padStart(8)}  ${text}`);

  const files = await findFiles(options, say);
  const run = { ...options, say, files };

  await using server = await startServer();
  await using ledger = await Ledger.open(server.url);
  await using rowlock = new Rowlock({ connectionString: server.url, schema: ledger.schema, migrate: 'auto' });
  say(describe(server));

  const { ids } = await rowlock.enqueueMany(files.map((path) => countFile.with({ path })));
  say(`${counted(ids.length, 'job')} enqueued, all or none`);

  const heldId = await runJobs(run, { url: server.url, ledger });
  const jobs = await ledger.jobs();

  say('counting all files again, by a single thread and without a queue');
  const recounted = await recount(files, options.signal);
  return judge({ files, ids, recounted, jobs, heldId, startedAt });
}

async function findFiles({ folder, signal }: CensusOptions, say: Run['say']): Promise<readonly string[]> {
  const { files, closedFolders } = await listFiles(folder, signal);
  if (files.length === 0) throw new Error(`there is no file below ${folder}`);
  say(`${counted(files.length, 'file')} found below ${folder}`);
  for (const closed of closedFolders) say(`left out, as it cannot be opened: ${printable(closed)}`);
  return files;
}

/** Runs all jobs in worker processes. @returns the job that the killed worker was surely running */
async function runJobs(run: Run, { url, ledger }: { url: string; ledger: Ledger }): Promise<string> {
  const { files, screen, say, workers } = run;
  await using crew = new Crew({ url, schema: ledger.schema, onNote: say });
  const signal = AbortSignal.any([run.signal, crew.lost]);

  const beganAt = performance.now();
  const { victim, jobId } = await crew.hireVictim(signal);
  while (crew.members.length < workers) crew.hire();
  say(`${grouped(workers)} worker processes started`);

  const onLook = async ({ done }: { done: number }): Promise<void> => {
    if (victim.killed || done < Math.floor(files.length * killAfter)) return;
    await victim.kill();
    say(`${victim.name} (pid ${String(victim.pid)}) killed with SIGKILL at work`);
    const lease = `its lease of ${String(leaseSeconds)} s is over`;
    say(`its jobs are rescued once ${lease} (short for this demo; usual: ${String(usualLeaseSeconds)} s)`);
  };
  await watchUntilDone({ ledger, crew, screen, signal, total: files.length, onLook });
  screen.settle();
  say(`${counted(files.length, 'job')} ended within ${seconds(performance.now() - beganAt)}`);
  await crew.dismiss();
  return jobId;
}

function describe({ source, version }: EmbeddedServer): string {
  return `PostgreSQL ${version} ${source === 'DATABASE_URL' ? 'named by DATABASE_URL' : 'started for this run'}`;
}
