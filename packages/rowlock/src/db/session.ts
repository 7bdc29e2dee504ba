import { sessionIdentity, setUpSession } from '../sql/generated/statements.gen.js';
import type { Statement } from '../sql/statement.js';
import type { Connection } from './connection.js';
import { backendKey } from './driver.js';

/**
 * Sets up the session of a new connection of ours, once.
 * @returns false behind a transaction pooler, where the next transaction may get another session
 */
export async function setUpOwnSession(connection: Connection, timeLimit: number): Promise<boolean> {
  const send = <Params, Row>({ text, decode }: Statement<Params, Row>) =>
    connection.send({ text, values: [], decode, timeLimit, onLoss: 'nothing-happened' });
  const [server] = (await send(sessionIdentity)).rows;
  if (server?.backendPid !== backendKey(connection.client)) return false;
  await send(setUpSession);
  return true;
}
