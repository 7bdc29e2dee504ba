import { Client } from 'pg';

/** Whether the driver can read a connection string; what else may be wrong with it shows when it is used. */
export function isReadable(connectionString: string): boolean {
  try {
    new Client({ connectionString });
    return true;
  } catch (error) {
    const isInvalidUrl = error instanceof Error && 'code' in error && error.code === 'ERR_INVALID_URL';
    return !isInvalidUrl && !(error instanceof URIError);
  }
}

/** Values stay the text that the server sent: the statements decode them. */
export const rawText = { getTypeParser: () => (text: string) => text };

/** Milliseconds of silence before TCP asks whether the other end is still there. */
export const keepAliveDelay = 10_000;

/** SQLSTATE. With it a standby answers, or an old primary after a fail-over, for ever. */
export const readOnlyState = '25006';

/** The backend that the far end claims to be; a pooler makes one up. The driver has it, its types do not. */
export function backendKey(client: object): unknown {
  return 'processID' in client ? client.processID : undefined;
}
