export { startServer } from './start-server.js';
export type { EmbeddedServer, ServerOptions, StopMode } from './options.js';
export type { Major } from './binaries.js';
export { EmbeddedError, type EmbeddedErrorCode } from './errors.js';
