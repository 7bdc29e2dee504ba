/** A busy machine: the same file may be read later. */
const passing = new Set(['EAGAIN', 'EBUSY', 'EMFILE', 'ENFILE', 'ENOMEM']);

/** Why a file cannot be read and will not be, such as `EACCES`; undefined if the error says no such thing. */
export function unreadableCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error)) return undefined;
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined || passing.has(code) ? undefined : code;
}
