import { sessionIdentity, setUpSession } from '../sql/generated/statements.gen.js';
import type { Connection } from './connection.js';
import { backendKey } from './driver.js';

/**
 * Sets up the session of a new connection of ours, once.
 * @returns false behind a transaction pooler, where the next transaction may get another session
 */
export async function setUpOwnSession(connection: Connection, timeLimit: number): Promise<boolean> {
  const send = (text: string) => connection.send({ text, values: [], timeLimit, onLoss: 'nothing-happened' });
  const identity = await send(sessionIdentity.text);
  const server = sessionIdentity.decode(identity.rows[0] ?? []);
  if (server.backendPid !== backendKey(connection.client)) return false;
  await send(setUpSession.text);
  return true;
}
