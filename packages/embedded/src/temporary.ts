import { access, constants } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { canReach, type Account } from './account.js';
import { EmbeddedError } from './errors.js';

/** The first temporary folder that we can write to and the account can enter. */
export async function temporaryBase(account: Account | null): Promise<string> {
  for (const folder of [tmpdir(), '/tmp', '/var/tmp', '/dev/shm']) {
    const isWritable = await access(folder, constants.W_OK).then(
      () => true,
      () => false,
    );
    if (isWritable && (await canReach(folder, account))) return folder;
  }
  throw new EmbeddedError(
    'EMBEDDED_UNREACHABLE',
    `No temporary folder that ${account?.name ?? 'this user'} can enter. Set TMPDIR to one.`,
  );
}
