import { settleAndClaim } from '../sql/generated/statements.gen.js';
import { openDatabase } from '../db/database.js';
import { laneStarts, nothingClaimed, nothingSettled, registerTestWorker } from './claims.js';
import type { Claim } from '../worker/claim.js';
import { readAnswer } from '../worker/claim.js';
import { rawStatement } from './raw-statement.js';

const markDead = rawStatement(
  'update rowlock.worker set dead_at = clock_timestamp() where id = $1 returning id',
);

/** Claims what is due in a queue for a worker that is lost right after: marked dead, with its jobs. */
export async function loseWorkerWith(url: string, queue = 'default'): Promise<Claim[]> {
  const database = openDatabase({ connectionString: url, maxConnections: 1 });
  try {
    const workerId = await registerTestWorker(database);
    const params = {
      ...nothingSettled,
      ...nothingClaimed,
      workerId,
      queues: [queue],
      slots: [1000],
      ...laneStarts,
    };
    const { claims } = readAnswer(await database.run(settleAndClaim, params));
    await database.run(markDead, [workerId]);
    return claims;
  } finally {
    await database.close();
  }
}
