// A long run of the model-based test: `npm run model [-- --steps 20000 --seed N]`.
import { runWithServer } from './run-with-server.mjs';

process.exitCode = await runWithServer(
  'packages/rowlock/dist/testing/model/program.js',
  process.argv.slice(2),
);
