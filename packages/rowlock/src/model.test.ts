import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase } from './testing/database.js';
import { runModel } from './testing/model/run-model.js';

/** A seed that found something stays; one more is new each time. */
const seeds = [1, Date.now() % 1_000_000];

for (const seed of seeds) {
  test(`what must stay true does, whatever comes between (seed ${String(seed)})`, async (t) => {
    const database = await createTestDatabase();
    try {
      const { steps, counts } = await runModel({ url: database.url, seed, steps: 10_000, limitMs: 8000 });
      t.diagnostic(`${String(steps)} steps: ${JSON.stringify(counts)}`);
      for (const [what, count] of Object.entries(counts))
        assert.ok(count > 0, `no ${what} at all: a void run`);
    } finally {
      await database.drop();
    }
  });
}
