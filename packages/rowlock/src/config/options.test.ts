import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { clientDefaults, pollDefaults, queueDefaults, workerDefaults } from './defaults.js';

const source = readFileSync(new URL('../../src/config/options.ts', import.meta.url), 'utf8');

/** The text after `@defaultValue` of each option of an interface. */
function documentedDefaults(name: string): Map<string, string> {
  const body = new RegExp(`interface ${name} \\{([^]*?)\\n\\}`).exec(source)?.[1] ?? '';
  const options = body.matchAll(/@defaultValue ([^]*?)\s*\*\/\s*readonly (\w+)\?/g);
  return new Map([...options].map(([, text = '', option = '']) => [option, text.replace(/\s+\* /g, ' ')]));
}

function optionsOf(name: string): string[] {
  const body = new RegExp(`interface ${name} \\{([^]*?)\\n\\}`).exec(source)?.[1] ?? '';
  return [...body.matchAll(/readonly (\w+)\?/g)].map(([, option = '']) => option);
}

const tables = {
  RowlockOptions: clientDefaults,
  WorkerOptions: workerDefaults,
  PollOptions: pollDefaults,
  QueueOptions: queueDefaults,
};

test('the documentation of every option states its default, and the one in force', () => {
  for (const [name, defaults] of Object.entries(tables)) {
    const documented = documentedDefaults(name);
    assert.deepEqual([...documented.keys()], optionsOf(name));
    assert.ok(documented.size > 0);
    for (const [option, value] of Object.entries(defaults)) {
      assert.equal(
        documented.get(option),
        typeof value === 'string' ? `'${value}'` : String(value),
        `${name}.${option}`,
      );
    }
  }
});
