// The plans of the hot statements on large tables: `npm run plans [-- --rows 10000000 --scenario NAME]`.
import { runWithServer } from './run-with-server.mjs';

process.exitCode = await runWithServer(
  'packages/rowlock/dist/testing/plans/program.js',
  process.argv.slice(2),
);
