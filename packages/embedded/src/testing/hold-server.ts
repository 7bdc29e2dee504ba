import { startServer } from '../start-server.js';
import type { ServerOptions } from '../options.js';

// A program of its own: starts a server, says where, and stops it when its standard input ends.
const server = await startServer(JSON.parse(process.argv[2] ?? '{}') as ServerOptions);
const { url, dataDir, postmasterPid } = server;
process.stdout.write(`${JSON.stringify({ url, dataDir, postmasterPid, uid: process.getuid?.() ?? null })}\n`);
process.stdin.resume().on('end', () => void server.stop());
