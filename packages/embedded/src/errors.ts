/** Stable codes of everything this package can refuse or fail at. Tell errors apart by `code`. */
export type EmbeddedErrorCode =
  | 'EMBEDDED_OPTION_INVALID'
  | 'EMBEDDED_NO_BINARIES'
  | 'EMBEDDED_NO_ACCOUNT'
  | 'EMBEDDED_UNREACHABLE'
  | 'EMBEDDED_UNSAFE_CACHE'
  | 'EMBEDDED_WRONG_MAJOR'
  | 'EMBEDDED_DATA_DIR_FOREIGN'
  | 'EMBEDDED_DATA_DIR_IN_USE'
  | 'EMBEDDED_PORT_TAKEN'
  | 'EMBEDDED_INIT_FAILED'
  | 'EMBEDDED_START_FAILED'
  | 'EMBEDDED_KEEPER_LOST'
  | 'EMBEDDED_NOT_OURS'
  | 'EMBEDDED_STOPPED'
  | 'EMBEDDED_DATABASE_URL';

export class EmbeddedError extends Error {
  override readonly name = 'EmbeddedError';
  readonly code: EmbeddedErrorCode;

  constructor(code: EmbeddedErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The code of an error of the system, such as ENOENT. */
export function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

export function hasCode(error: unknown, ...codes: EmbeddedErrorCode[]): boolean {
  return error instanceof EmbeddedError && codes.includes(error.code);
}
