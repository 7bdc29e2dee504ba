import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeSuitsPeers } from './extras.js';

test('the peers run from Node 22.18 on', () => {
  for (const version of ['22.18.0', '22.20.1', '24.0.0', '26.1.0'])
    assert.ok(nodeSuitsPeers(version), version);
  for (const version of ['20.19.0', '22.17.9']) assert.ok(!nodeSuitsPeers(version), version);
});
