import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { claimOf } from '../testing/scripted-claims.js';
import type { Claim } from './claim.js';
import { Held } from './held.js';

test('it holds what was added and not deleted, in that order, like a set', () => {
  const step = fc.oneof(
    fc.record({ add: fc.integer({ min: 0, max: 1500 }) }),
    fc.record({ keepEvery: fc.integer({ min: 1, max: 700 }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
      const held = new Held();
      const model = new Set<Claim>();
      for (const each of steps) {
        const added = 'add' in each ? Array.from({ length: each.add }, () => claimOf()) : [];
        held.add(added);
        for (const claim of added) model.add(claim);
        const gone = 'keepEvery' in each ? [...model].filter((_, i) => i % each.keepEvery !== 0) : [];
        for (const claim of gone)
          assert.deepEqual([held.has(claim), held.delete(claim)], [true, model.delete(claim)]);
        for (const claim of gone) assert.deepEqual([held.has(claim), held.delete(claim)], [false, false]);
        assert.equal(held.size, model.size);
        assert.deepEqual([...held], [...model]);
      }
    }),
    { numRuns: 30 },
  );
});
