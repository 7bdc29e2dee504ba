import { auditFloors, auditPlaces } from './audit.js';
import { drain } from './drain.js';
import { Violation } from './model-job.js';
import type { Counts } from './model.js';
import { Model } from './model.js';
import { endWhatIsDue, steps } from './steps.js';

export interface ModelRun {
  /** A migrated database of its own. */
  readonly url: string;
  readonly seed: number;
  readonly steps: number;
  /** Ends the steps earlier, in milliseconds, once each thing that is counted has happened. @defaultValue Infinity */
  readonly limitMs?: number;
  readonly onProgress?: (done: number) => void;
}

export interface ModelResult {
  readonly steps: number;
  readonly counts: Counts;
}

const auditEvery = 100;
const remembered = 40;

/**
 * Runs random steps against a real server and holds every answer against the pure model; at the end everything must
 * drain. @throws Violation that names the seed and the last steps
 */
export async function runModel(run: ModelRun): Promise<ModelResult> {
  const model = new Model(run.url, run.seed);
  const trace: string[] = [];
  try {
    await model.start();
    const done = await takeSteps(model, run, trace);
    await drain(model);
    await auditPlaces(model);
    return { steps: done, counts: model.counts };
  } catch (error) {
    const told = error instanceof Error ? error.message : String(error);
    throw new Violation(`seed ${String(run.seed)}: ${told}\nafter ${trace.join(', ')}`, { cause: error });
  } finally {
    await model.close();
  }
}

async function takeSteps(model: Model, run: ModelRun, trace: string[]): Promise<number> {
  const until = performance.now() + (run.limitMs ?? Infinity);
  let done = 0;
  const isVoid = (): boolean => Object.values(model.counts).some((count) => count === 0);
  while (done < run.steps && (performance.now() < until || isVoid())) {
    const step = model.random.weighted(steps);
    trace.push(step.name);
    if (trace.length > remembered) trace.shift();
    await step.run(model);
    await endWhatIsDue(model);
    auditFloors(model);
    done += 1;
    if (done % auditEvery === 0) {
      await auditPlaces(model);
      run.onProgress?.(done);
    }
  }
  return done;
}
