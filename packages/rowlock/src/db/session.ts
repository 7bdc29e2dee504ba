import { sessionIdentity, setUpSession } from '../sql/generated/statements.gen.js';
import type { Connection } from './connection.js';

/**
 * Sets up the session of a new connection of ours, once.
 * @returns false behind a transaction pooler, where the next transaction may get another session
 */
export async function setUpOwnSession(connection: Connection, timeLimit: number): Promise<boolean> {
  const send = (text: string) => connection.send({ text, values: [], timeLimit, onLoss: 'nothing-happened' });
  const identity = await send(sessionIdentity.text);
  // A pooler makes up the backend key that it hands to its clients.
  const server = sessionIdentity.decode(identity.rows[0] ?? []);
  if (server.backendPid !== backendKey(connection.client)) return false;
  await send(setUpSession.text);
  return true;
}

function backendKey(client: object): unknown {
  return 'processID' in client ? client.processID : undefined;
}
