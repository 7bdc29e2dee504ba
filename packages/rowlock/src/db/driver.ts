/** What every connection of ours is told of the driver, and it of us, whichever thread dials. */

/** Values stay the text that the server sent: the statements decode them. */
export const rawText = { getTypeParser: () => (text: string) => text };

export const keepAliveDelay = 10_000;

/** With it a standby answers, or an old primary after a fail-over, for ever. */
export const readOnlyState = '25006';

/** The backend that the far end claims to be; a pooler makes one up. The driver has it, its types do not. */
export function backendKey(client: object): unknown {
  return 'processID' in client ? client.processID : undefined;
}
