import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holds, renderBar } from './bars.js';

test('a bar says name, value, comparison, target and verdict', () => {
  assert.equal(
    renderBar({ name: 'drain', value: 0.71234, op: '>=', target: 0.7 }),
    'bar drain 0.7123 >= 0.7 ok',
  );
  assert.equal(
    renderBar({ name: 'drain', value: 0.6996, op: '>=', target: 0.7 }),
    'bar drain 0.6996 >= 0.7 short',
  );
  assert.equal(
    renderBar({ name: 'backlog', value: 4000, op: '<', target: 4000 }),
    'bar backlog 4000 < 4000 short',
  );
});

test('at the target, only the strict comparison is short', () => {
  assert.ok(holds({ name: '', value: 1.5, op: '<=', target: 1.5 }));
  assert.ok(holds({ name: '', value: 1.5, op: '>=', target: 1.5 }));
  assert.ok(!holds({ name: '', value: 1.5, op: '<', target: 1.5 }));
});

test('what was not measured is short', () => {
  for (const op of ['>=', '<=', '<'] as const) assert.ok(!holds({ name: '', value: NaN, op, target: 1 }));
});
