import type pg from 'pg';
import { destroySocket } from './destroy-socket.js';
import { wait } from '../wait.js';
import { requestOf, type ProducerParts } from './direct-producer.js';
import type { Fate, Plan } from './tokens.js';

export interface TransactionProducerParts extends ProducerParts {
  readonly pool: pg.Pool;
}

type Ending = 'commit' | 'roll back' | 'fail' | 'hang up';

/**
 * Enqueues in transactions of its own together with a row that bears witness: after the commit both are there, after a
 * rollback, a failed statement or a lost connection neither is.
 */
export async function produceInTransactions(
  parts: TransactionProducerParts,
  signal: AbortSignal,
): Promise<void> {
  const { tokens, random, pauseMs } = parts;
  while (!signal.aborted) {
    const plans = Array.from({ length: random.chance(0.3) ? random.integer(2, 5) : 1 }, () => tokens.plan());
    const ending = random.chance(0.85) ? 'commit' : random.pick<Ending>(['roll back', 'fail', 'hang up']);
    tokens.note(plans, 'transaction', await enqueue(parts, plans, ending));
    await wait(random.between(0, 2 * pauseMs), signal);
  }
}

async function enqueue(
  parts: TransactionProducerParts,
  plans: readonly Plan[],
  ending: Ending,
): Promise<Fate> {
  const client = await parts.pool.connect().catch(() => undefined);
  // No transaction was ever begun, which proves nothing about rolling back.
  if (client === undefined) return 'refused';
  let committing = false;
  let broken = true;
  try {
    await client.query('begin');
    await client.query('insert into chaos.token (token) select unnest($1::bigint[])', [
      plans.map(({ work }) => work.token),
    ]);
    await parts.rowlock.enqueueMany(plans.map(requestOf), { tx: client });
    if (ending === 'hang up') {
      destroySocket(client);
      return 'rolled back';
    }
    if (ending === 'fail') await client.query('select 1 / 0').catch(() => undefined);
    committing = ending === 'commit';
    await client.query(committing ? 'commit' : 'rollback');
    broken = false;
    return committing ? 'acknowledged' : 'rolled back';
  } catch {
    return committing ? 'unknown' : 'rolled back';
  } finally {
    client.release(broken);
  }
}
