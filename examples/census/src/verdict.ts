import type { FileCount } from './count-file.js';
import type { JobRow } from './ledger.js';
import type { Recounted } from './recount.js';
import { tallyByLanguage } from './tally.js';
import type { Counted, Tally } from './tally.js';
import { counted, grouped } from './wording.js';

/** What the verdict is found from: `files`, `ids` and `recounted` run in parallel. */
export interface Evidence {
  readonly files: readonly string[];
  readonly ids: readonly string[];
  readonly recounted: readonly Recounted[];
  readonly jobs: readonly JobRow[];
  /** The job that the killed worker was running. */
  readonly heldId: string;
  /** When the census began, in ms since 1970. */
  readonly startedAt: number;
}

export interface Check {
  readonly claim: string;
  /** What speaks against it; empty if it holds. */
  readonly against: readonly string[];
}

export interface Verdict {
  readonly holds: boolean;
  readonly checks: readonly Check[];
  readonly languages: ReadonlyMap<string, Tally>;
  readonly unreadable: readonly string[];
  /** Files that somebody wrote to during the census: two readers may well disagree about them. */
  readonly changed: readonly string[];
}

interface File {
  readonly path: string;
  readonly rows: readonly JobRow[];
  readonly recounted: Recounted;
}

export function judge(evidence: Evidence): Verdict {
  const files = filesOf(evidence);
  const differing = files.filter(({ rows, recounted }) => !agree(rows[0], recounted));
  const changed = new Set(differing.filter(({ recounted }) => recounted.changedAt >= evidence.startedAt));
  const unchanged = files.filter((file) => !changed.has(file));
  const checks = [
    checkHistory(files, evidence),
    checkEnds(evidence.jobs),
    checkSums(unchanged, changed.size),
    checkEach(differing.filter((file) => !changed.has(file))),
    checkRescued(evidence),
  ];
  return {
    holds: checks.every(({ against }) => against.length === 0),
    checks,
    languages: tallyByLanguage(files.flatMap(countedByJob)),
    unreadable: files.flatMap(({ path, rows }) =>
      rows[0]?.state === 'cancelled' ? [`${path} (${rows[0].reason ?? ''})`] : [],
    ),
    changed: [...changed].map(({ path }) => path),
  };
}

function filesOf({ files, ids, recounted, jobs }: Evidence): File[] {
  const rowsOf = groupBy(jobs, ({ id }) => id);
  return files.map((path, at) => ({
    path,
    rows: rowsOf.get(ids[at] ?? 'none') ?? [],
    recounted: recounted[at] ?? { unreadable: 'not counted again', changedAt: 0 },
  }));
}

function isHistory({ state }: JobRow): boolean {
  return state === 'completed' || state === 'cancelled';
}

function checkHistory(files: readonly File[], { jobs, ids }: Evidence): Check {
  const against = files
    .filter(({ rows }) => rows.length !== 1 || !rows.every(isHistory))
    .map(({ path, rows }) => `${path}: ${rows.map(({ state }) => state).join(', ') || 'no row'}`);
  const known = new Set(ids);
  if (known.size !== files.length)
    against.push(`${grouped(known.size)} jobs for ${counted(files.length, 'file')}`);
  for (const { id } of jobs) if (!known.has(id)) against.push(`job ${id} belongs to no file`);
  return { claim: `${counted(files.length, 'file')}, each with exactly one row of history`, against };
}

function checkEnds(jobs: readonly JobRow[]): Check {
  const against = jobs
    .filter((job) => !isHistory(job))
    .map(({ id, state, reason }) => `job ${id} is ${state} ${reason ?? ''}`.trim());
  return { claim: 'nothing is live, nothing was discarded', against };
}

function checkSums(files: readonly File[], leftOut: number): Check {
  const byJobs = tallyByLanguage(files.flatMap(countedByJob));
  const again = tallyByLanguage(files.flatMap(countedAgain));
  const against = [...new Set([...byJobs.keys(), ...again.keys()])].flatMap((language) => {
    const [ours, theirs] = [sumsOf(byJobs.get(language)), sumsOf(again.get(language))];
    return ours === theirs ? [] : [`${language}: ${ours} by jobs, ${theirs} in the recount`];
  });
  const aside = leftOut === 0 ? '' : `, ${counted(leftOut, 'changed file')} aside`;
  return {
    claim: `files, lines and bytes per language equal those of a single-threaded recount${aside}`,
    against,
  };
}

function checkEach(differing: readonly File[]): Check {
  const against = differing.map(({ path }) => `${path} was counted otherwise`);
  return { claim: 'so do size, lines and SHA-256 of every single file', against };
}

function checkRescued({ jobs, heldId }: Evidence): Check {
  const rescued = jobs.filter(({ crashes }) => crashes > 0);
  const attempts = groupBy(rescued, ({ attempt }) => attempt);
  const against = rescued
    .filter(({ attempt }) => attempt < 2)
    .map(({ id }) => `job ${id} ended in attempt 1`);
  if (!attempts.has(2)) against.push('no rescued job ended in attempt 2');
  if (!rescued.some(({ id }) => id === heldId))
    against.push(`job ${heldId}, which the killed worker held, was not rescued`);
  const ends = [...attempts].map(
    ([attempt, { length }]) =>
      `${length === rescued.length ? 'all' : grouped(length)} ended in attempt ${String(attempt)}`,
  );
  return {
    claim: [`${counted(rescued.length, 'job')} rescued from the killed worker`, ...ends].join(', '),
    against,
  };
}

function countedByJob({ rows: [row] }: File): Counted[] {
  return row === undefined || row.output === null ? [] : [{ count: row.output, rescued: row.crashes > 0 }];
}

function countedAgain({ recounted }: File): Counted[] {
  return 'unreadable' in recounted ? [] : [{ count: recounted, rescued: false }];
}

function sumsOf(tally: Tally | undefined): string {
  if (tally === undefined) return 'nothing';
  const { files, lines, bytes } = tally;
  return `${counted(files, 'file')} ${counted(lines, 'line')} ${counted(bytes, 'byte')}`;
}

function agree(row: JobRow | undefined, recounted: Recounted): boolean {
  if (row === undefined || row.output === null) return 'unreadable' in recounted;
  return !('unreadable' in recounted) && same(row.output, recounted);
}

function same(a: FileCount, b: FileCount): boolean {
  return a.sha256 === b.sha256 && a.bytes === b.bytes && a.lines === b.lines && a.language === b.language;
}

function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
