import { rescuePages } from '../../maintenance/rescue.js';
import { endWorker } from '../../sql/generated/statements.gen.js';
import { hold, label } from './model-job.js';
import type { Model } from './model.js';
import { servesAll } from './process.js';
import { endWhatIsDue } from './steps.js';
import { kinds, queues } from './world.js';

const maxRounds = 500;
const oneHour = 3_600_000_000;
/** As a pass learns of pauses that are over, and of parked jobs. */
const slots = 50;

/** Ends everything that is open, then lets one process alone work off what is left, floors and heads as they are. */
export async function drain(model: Model): Promise<void> {
  await endWhatIsDue(model, true);
  for (const queue of queues) await model.pauseQueue(queue, false);
  for (const { name } of kinds) await model.pauseKind(name, false);
  const last = model.processes.find(servesAll);
  if (last === undefined) throw new TypeError('no process serves every kind');
  await last.followUp();
  await last.lookUp();
  const others = [...model.ledger.aliveWorkers].filter((workerId) => workerId !== last.workerId);
  for (const workerId of others)
    await model.executor.run(endWorker, { workerId, swept: false, unstarted: false });
  await rescuePages(model.executor, 0, 1_000_000);
  let idle = 0;
  for (let round = 0; model.ledger.live.length > 0 && idle < 3 && round < maxRounds; round += 1) {
    await last.pass();
    const before = model.ledger.live.length;
    const claimed = await last.cycle({ done: last.claims, slots: slots });
    // By id where the rows had moved.
    await last.settle(
      last.claims.filter((claim) => !claimed.includes(claim)),
      () => ({ outcome: 'completed' }),
    );
    idle = claimed.length === 0 && model.ledger.live.length === before ? idle + 1 : 0;
    if (claimed.length === 0) await model.shift(oneHour);
  }
  const left = model.ledger.live;
  hold(left.length === 0, () => `passes no longer find: ${left.map(label).join('; ')}`);
}
