import type { Screen } from './screen/screen.js';
import { renderTallies } from './tally.js';
import type { Check, Verdict } from './verdict.js';
import { counted, printable } from './wording.js';

/** Lists are cut after so many entries. */
const shown = 5;

/** The table, what could not be compared, and the verdict. */
export function report({ languages, unreadable, changed, checks, holds }: Verdict, screen: Screen): void {
  const say = (lines: readonly string[]): void => lines.forEach((line) => screen.say(line));
  const [titles = '', ...rows] = renderTallies(languages).map((line) => `  ${line}`);
  say(['', screen.paint('bold', titles), ...rows, '']);
  say(listed(`${counted(unreadable.length, 'file')} could not be read (jobs cancelled):`, unreadable));
  say(listed(`${counted(changed.length, 'file')} changed meanwhile, so that the recount differs:`, changed));
  for (const check of checks) say(linesOf(check, screen));
  say([
    '',
    holds
      ? screen.paint('green', '  Nothing was lost, nothing was counted twice.')
      : screen.paint('red', '  The census is WRONG.'),
  ]);
}

function linesOf({ claim, against }: Check, screen: Screen): string[] {
  const mark = against.length === 0 ? screen.paint('green', '✓') : screen.paint('red', '✗');
  return [`  ${mark} ${claim}`, ...entries(against)];
}

function listed(title: string, paths: readonly string[]): string[] {
  return paths.length === 0 ? [] : [`  ${title}`, ...entries(paths), ''];
}

function entries(all: readonly string[]): string[] {
  const lines = all.slice(0, shown).map((entry) => `      ${printable(entry)}`);
  return all.length <= shown ? lines : [...lines, `      and ${String(all.length - shown)} more`];
}
