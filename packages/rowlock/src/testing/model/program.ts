// A long run of the model on the server of `tools/model.mjs`.
import { parseArgs } from 'node:util';
import { createTestDatabase } from '../database.js';
import { runModel } from './run-model.js';

const { values } = parseArgs({
  options: {
    steps: { type: 'string', default: '20000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const seed = Number(values.seed);
const database = await createTestDatabase();
try {
  const started = performance.now();
  const onProgress = (done: number): void => {
    if (done % 1000 === 0)
      console.log(`${String(done)} steps in ${((performance.now() - started) / 1000).toFixed(0)} s`);
  };
  console.log(`seed ${String(seed)}`);
  const { steps, counts } = await runModel({
    url: database.url,
    seed,
    steps: Number(values.steps),
    onProgress,
  });
  for (const [what, count] of Object.entries(counts)) console.log(`${what.padEnd(18)} ${String(count)}`);
  console.log(`seed ${String(seed)}: ${String(steps)} steps, everything drained, no violation`);
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await database.drop();
}
