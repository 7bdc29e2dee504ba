// npm run demo [-- [--workers N] [FOLDER]]
import { readArguments, usage } from './arguments.js';
import type { Arguments } from './arguments.js';
import { takeCensus } from './census.js';
import { Interruption } from './interruption.js';
import { report } from './report.js';
import { screenOn } from './screen/screen-on.js';

process.exitCode = await main();

async function main(): Promise<number> {
  const options = argumentsOrUndefined();
  if (options === undefined) return 2;
  if (options.help) {
    console.log(usage);
    return 0;
  }
  const screen = screenOn(process.stdout);
  const interruption = new Interruption();
  try {
    const verdict = await takeCensus({ ...options, screen, signal: interruption.signal });
    report(verdict, screen);
    return verdict.holds ? 0 : 1;
  } catch (error) {
    screen.settle();
    const { exitCode } = interruption;
    console.error(
      exitCode === undefined
        ? `\n${reasonOf(error)}`
        : '\nInterrupted. No process and no data is left behind.',
    );
    return exitCode ?? 1;
  }
}

function argumentsOrUndefined(): Arguments | undefined {
  try {
    // npm runs scripts in the folder of package.json; the user may be in another one.
    return readArguments(process.argv.slice(2), process.env['INIT_CWD'] ?? process.cwd());
  } catch (error) {
    console.error(`${reasonOf(error)}\n\n${usage}`);
    return undefined;
  }
}

/** An aborted wait says only that it was aborted; its cause says why. */
function reasonOf(error: unknown): string {
  const reason = error instanceof Error && error.name === 'AbortError' ? (error.cause ?? error) : error;
  return reason instanceof Error ? reason.message : String(reason);
}
